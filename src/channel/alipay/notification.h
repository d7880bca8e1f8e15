// Verifies and parses Alipay's notifications about trades, which are HTML forms. Pure.
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
/// and seller, and it contains a complete trade. `asked_at` of the evidence is the time of the reported state, at most
/// `now`. A notification about a refund is evidence about the payment only; a query returns the refund.
Result<Notification> read_notification(const AlipayOptions& options, const AlipayKeys& keys, std::string_view body,
                                       Time now);

/// Same as read_notification, for parameters whose signature the caller has already verified.
Result<Notification> read_verified(const AlipayOptions& options, const Parameters& parameters, Time now);

}  // namespace finality::alipay
