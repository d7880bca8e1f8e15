// Instants as seconds since 1970 in decimal, as signatures carry them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// Cut to seconds. REQUIRES: not before 1970.
std::string to_unix_seconds(Time at);

/// Digits only, twelve at most. What a more lenient parser lets through would be signed in one form and understood in
/// another. Empty when it is none.
std::optional<Time> parse_unix_seconds(std::string_view text);

}  // namespace finality
