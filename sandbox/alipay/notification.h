// What Alipay tells the merchant by itself, and what a payer brings back to the shop. Pure.
#pragma once

#include <optional>
#include <string>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// The signed parameters; empty where Alipay tells nothing: of a trade that nobody opened, and of a refund that leaves
/// nothing of the payment. A forged notification has the falsehood it names: `replayed` is one of another merchant's
/// app, as there is no time in a signature.
std::optional<Params> notification_params(const Notification& notification, const Account& account, Time now);

/// Where the payer's page leads back to: with signed parameters once he has paid.
std::optional<std::string> return_url_of(const Trade& trade, const Account& account, Time now);

}  // namespace finality::sandbox::alipay
