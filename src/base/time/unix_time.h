// Instants as decimal seconds since 1970, the format used in signatures. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// Formats `at`, truncated to seconds. REQUIRES: `at` is not before 1970.
std::string to_unix_seconds(Time at);

/// Parses one to twelve digits; returns empty for any other text. A lenient parser could read a signed text differently
/// from its signer.
std::optional<Time> parse_unix_seconds(std::string_view text);

}  // namespace finality
