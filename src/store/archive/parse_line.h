// Parses a line of an archive file into the rows of an order.
#pragma once

#include <string>

#include "base/result.h"
#include "store/archive/archivist.h"

namespace finality::store {

/// Parses a line that line_of() wrote, in this version or an older one. A column that was added to the schema after the
/// line was written gets its default value; an added list is empty. Checks that line_of() of the result contains every
/// value of `line`. The error names the column with an unreadable value, or reports that a column is unknown.
Result<WholeOrder> parse_line(const std::string& line);

}  // namespace finality::store
