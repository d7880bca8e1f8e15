// Alipay's notifications to the merchant, and the parameters of the payer's return URL. Pure.
#pragma once

#include <optional>
#include <string>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// The signed parameters. Empty if Alipay sends no notification: for a trade that the payer has not opened, and for a
/// refund after which the payment is fully refunded. A forged notification has the flaw that `forgery` names;
/// `replayed` is a genuine one of another application, because signatures contain no time.
std::optional<Params> notification_params(const Notification& notification, const Account& account, Time now);

/// The return URL of the payer's page, with signed parameters after the payment.
std::optional<std::string> return_url_of(const Trade& trade, const Account& account, Time now);

}  // namespace finality::sandbox::alipay
