// Parser for the Retry-After header field (RFC 9110 §10.2.3). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// Returns the delay from `now` that the field requests, at most one day. Accepts a number of seconds or an IMF-fixdate
/// (`Sun, 06 Nov 1994 08:49:37 GMT`); a past date results in zero. Returns empty if the field has another format.
std::optional<Duration> parse_retry_after(std::string_view field, Time now);

}  // namespace finality
