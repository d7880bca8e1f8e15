// Reads and writes histories as JSON Lines; operation.h defines the format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "history/operation.h"

namespace finality::history {

/// Parses one line. The error states which part of the line is invalid and what is allowed there.
Result<Operation> parse_operation(std::string_view line);
/// The JSON object of an operation's line.
boost::json::object to_json(const Operation& operation);
/// The line of an operation, without a line break.
std::string to_line(const Operation& operation);

}  // namespace finality::history
