// Instants as decimal seconds since 1970, the format used in signatures. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// Truncates to seconds. REQUIRES: not before 1970.
std::string to_unix_seconds(Time at);

/// Accepts one to twelve digits only; returns empty otherwise. A more lenient parser would accept texts that were
/// signed in one form and are interpreted in another.
std::optional<Time> parse_unix_seconds(std::string_view text);

}  // namespace finality
