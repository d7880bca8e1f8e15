// Parameters of a request's query. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality::sandbox {

/// Returns the decoded value of the first parameter with this name; empty if it is missing or badly encoded.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace finality::sandbox
