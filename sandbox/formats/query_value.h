// Parameters of a request's query. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"

namespace finality::sandbox {

/// Returns the decoded value of the first parameter with this name; empty if it is missing or badly encoded.
std::string query_value(std::string_view query, std::string_view name);
/// Returns an amount in minor units, from 1 to the maximum amount; empty if the text is missing or invalid.
std::optional<MinorUnits> amount_value(std::string_view text);

}  // namespace finality::sandbox
