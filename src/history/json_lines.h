// Reader and writer of histories as JSON Lines. operation.h defines the format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "history/operation.h"

namespace finality::history {

/// Parses one line. An error states the invalid field and the allowed values.
Result<Operation> parse_operation(std::string_view line);
/// Returns the operation as a JSON object. Fields with default values are omitted.
boost::json::object to_json(const Operation& operation);
/// Returns the operation as a line of the file, without a line break.
std::string to_line(const Operation& operation);

}  // namespace finality::history
