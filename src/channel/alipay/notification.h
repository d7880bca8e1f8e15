// Alipay's notifications about trades: HTML forms. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/signature.h"

namespace finality::alipay {

/// Parses application/x-www-form-urlencoded into bytes, whatever their charset. Empty when the body is malformed, has a
/// duplicate name or too many parameters.
std::optional<Parameters> parse_form(std::string_view body);

/// Verifies and reads a notification. It must be signed by Alipay, be about the configured application and seller, and
/// contain a complete trade. `asked_at` is the time of the reported state, not of the arrival. A notification of a
/// refund is evidence of the payment only; a query returns the refund.
Result<Notification> read_notification(const AlipayOptions& options, const AlipayKeys& keys, std::string_view body,
                                       Time now);

/// Reads a notification like read_notification, from parameters whose signature has already been verified.
Result<Notification> read_verified(const AlipayOptions& options, const Parameters& parameters, Time now);

}  // namespace finality::alipay
