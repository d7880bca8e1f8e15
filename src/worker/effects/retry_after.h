// The Retry-After field (RFC 9110 §10.2.3). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// Returns the delay from `now` that a receiver requests: a number of seconds, or an IMF-fixdate (`Sun, 06 Nov 1994
/// 08:49:37 GMT`). A past date is zero; the maximum is one day. Empty if it is neither.
std::optional<Duration> parse_retry_after(std::string_view field, Time now);

}  // namespace finality
