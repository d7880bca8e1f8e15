// Alipay's notifications about funds authorizations (资金预授权), in two envelopes. Pure.
//
//   what has changed                                     type                        envelope
//   the payer has authorized                             fund_auth_freeze            classic
//   the payer has declined, or the time is over          fund_auth_freeze.closed     classic
//   cancelled                                            fund_auth_operation_cancel  classic
//   released by the merchant, or by a final capture      fund_auth_unfreeze          classic
//   lapsed, released or captured in the console          fund_auth_unfreeze          message
//
// The classic envelope has the fields as parameters, and `notify_type`. The message envelope has them as JSON in
// `biz_content`, and `msg_method`. Alipay sends messages to the application gateway; the sandbox, which does not know
// its address, sends them to the notify_url of the authorization.
#pragma once

#include <optional>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// Returns the signed parameters of a notification, with the flaw `notification.forgery`, as notification_params().
/// Empty if Alipay sends no notification: for an authorization that the payer has not opened, and for a capture of the
/// merchant that releases nothing. REQUIRES: the notification is about a hold.
std::optional<Params> fund_auth_notification(const Notification& notification, const Account& account, Time now);

}  // namespace finality::sandbox::alipay
