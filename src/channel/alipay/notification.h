// Verifies and parses Alipay's notifications, which are HTML forms in one of two envelopes. Pure.
//
//   envelope   type in       content                     time
//   classic    notify_type   the parameters              notify_time
//   message    msg_method    JSON object `biz_content`   utc_timestamp, in milliseconds
//
// `trade_status_sync` reports a trade, of a payment or a capture; `fund_auth_…` reports an authorization. A hold that
// lapses is reported only to the application's gateway, which must be the same URL.
#pragma once

#include <optional>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/signature.h"

namespace finality::alipay {

/// Parses an application/x-www-form-urlencoded body. Values are bytes in any charset. Empty if the body is malformed,
/// repeats a name or has more than 100 parameters.
std::optional<Parameters> parse_form(std::string_view body);

/// Verifies and parses a notification. Returns an error unless Alipay signed it, it is about the configured application
/// and seller, and it contains a complete trade or the totals of an authorization. A signed message of another type, or
/// about an authorization with a number of another format, is ignored. `asked_at` of the evidence is the time of the
/// reported state, at most `now`. A notification about a refund is evidence about the payment only; a query returns the
/// refund.
Result<Notification> read_notification(const AlipayOptions& options, const AlipayKeys& keys, std::string_view body,
                                       Time now);

/// Same as read_notification, for parameters whose signature the caller has already verified.
Result<Notification> read_verified(const AlipayOptions& options, const Parameters& parameters, Time now);

}  // namespace finality::alipay
