// Histories as JSON Lines; the format stands in operation.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "history/operation.h"

namespace finality::history {

/// One line. The error says what is wrong with it.
Result<Operation> parse_operation(std::string_view line);
/// The object that stands in its line.
boost::json::object to_json(const Operation& operation);
/// The line for it, without a line break.
std::string to_line(const Operation& operation);

}  // namespace finality::history
