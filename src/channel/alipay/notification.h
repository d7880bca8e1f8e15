// What Alipay posts to us about a trade: a form. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/signature.h"

namespace finality::alipay {

/// A body of application/x-www-form-urlencoded, decoded to bytes in whatever charset. Empty when it is broken, or says
/// something twice.
std::optional<Parameters> parse_form(std::string_view body);

/// The evidence of a notification that is signed by Alipay, about our application and our seller, and tells a trade
/// whole. `asked_at` is when it was said: as old as its word, however late it comes. A refund is never believed for
/// itself: what says so proves the payment once more, and a query tells the rest.
Result<Notification> read_notification(const AlipayOptions& options, const AlipayKeys& keys, std::string_view body,
                                       Time now);

/// The same of parameters whose signature was verified.
Result<Notification> read_verified(const AlipayOptions& options, const Parameters& parameters, Time now);

}  // namespace finality::alipay
