// Reads and writes histories as JSON Lines; operation.h defines the format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "history/operation.h"

namespace finality::history {

/// Parses one line. The error names the invalid part of the line and the allowed values.
Result<Operation> parse_operation(std::string_view line);
/// The JSON object that represents an operation.
boost::json::object to_json(const Operation& operation);
/// The line of an operation, without a line break.
std::string to_line(const Operation& operation);

}  // namespace finality::history
