// The Retry-After field (RFC 9110 §10.2.3). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// How long from `now` a receiver wants to be left alone: a number of seconds, or a date in the form of today
/// (`Sun, 06 Nov 1994 08:49:37 GMT`). A past date is no pause; more than a day is a day. Empty when it is neither.
std::optional<Duration> parse_retry_after(std::string_view field, Time now);

}  // namespace finality
