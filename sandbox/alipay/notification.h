// Alipay's notifications to the merchant, and the parameters of the payer's return URL. Pure.
#pragma once

#include <optional>
#include <string>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// The signed parameters of a notification. Empty if Alipay sends none: for a trade that the payer has not opened, and
/// for a refund after which the payment is fully refunded. A forged notification has the flaw that
/// `notification.forgery` names; `replayed` is a genuine notification of another application, because Alipay's
/// signatures contain no time.
std::optional<Params> notification_params(const Notification& notification, const Account& account, Time now);

/// The URL to which the payer's page returns; once the trade is paid, with signed parameters. Empty if the order has
/// no return_url.
std::optional<std::string> return_url_of(const Trade& trade, const Account& account, Time now);

}  // namespace finality::sandbox::alipay
