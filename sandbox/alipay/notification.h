// Alipay's notifications to the merchant, and the parameters of the payer's return URL. Pure.
#pragma once

#include <optional>
#include <string>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// Returns the signed parameters of a notification, with the flaw `notification.forgery`. Forgery::replayed results in
/// a genuine notification to another application, because Alipay's signatures do not expire. Empty if Alipay sends no
/// notification: for a trade that the payer has not opened, and for a requested refund that completes a full refund.
std::optional<Params> notification_params(const Notification& notification, const Account& account, Time now);

/// Returns the URL to which the payer's page returns. After the payment, the URL contains signed parameters. Empty if
/// the order has no return_url.
std::optional<std::string> return_url_of(const Trade& trade, const Account& account, Time now);

}  // namespace finality::sandbox::alipay
