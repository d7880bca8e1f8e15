// Alipay's notifications to the merchant, and the parameters of the payer's return URL. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// Adds the parameter unless `value` is empty. Alipay does not sign empty parameters, but some SDKs include received
/// empty parameters in the text that they verify.
void put(Params& params, const char* name, std::string value);
/// Returns the parameters that all classic notifications have, without a signature.
Params classic_frame(const Application& app, const std::string& notify_id, std::string_view notify_type, Time now);

/// The parameter that Forgery::altered changes after it was signed with `signed_value`.
struct ForgedValue {
  const char* name;
  const char* signed_value;
};
/// Signs the notification, with the flaw `forgery`.
void sign_as(Forgery forgery, const Account& account, const ForgedValue& forged, Params& params);

/// Returns the signed parameters of a notification about a trade, with the flaw `notification.forgery`.
/// Forgery::replayed results in a genuine notification to another application, because Alipay's signatures do not
/// expire. Empty if Alipay sends no notification: for a trade that the payer has not opened, and for a requested refund
/// that completes a full refund.
std::optional<Params> notification_params(const Notification& notification, const Account& account, Time now);

/// Returns the URL to which the payer's page returns. After the payment, the URL contains signed parameters. Empty if
/// the order has no return_url.
std::optional<std::string> return_url_of(const Trade& trade, const Account& account, Time now);

}  // namespace finality::sandbox::alipay
