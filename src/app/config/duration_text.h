// Parser of durations in settings and on the command line.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/time.h"

namespace finality::app {

/// Parses a whole number and a unit: "90s", "15m", "36h", "7d". Empty if the text is invalid, not positive, or exceeds
/// `max`.
std::optional<Duration> parse_duration(std::string_view text, Duration max);

}  // namespace finality::app
