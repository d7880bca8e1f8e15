// Durations as people write them, in settings and on the command line.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/time.h"

namespace finality::app {

/// "90s", "15m", "36h", "7d": a whole number and a unit. Empty when the text is not one, is not positive, or exceeds
/// `max`.
std::optional<Duration> parse_duration(std::string_view text, Duration max);

}  // namespace finality::app
