// Parses a line of an archive back into rows.
#pragma once

#include <string>

#include "base/result.h"
#include "store/archive/archivist.h"

namespace finality::store {

/// The inverse of line_of(). Serializes the result again and checks that it has every value of `line`. A column that
/// was added to the schema after the line was written gets its default value; a list that was added is empty. The error
/// names the column whose value cannot be read, or reports that the line has a column unknown to this program.
Result<WholeOrder> parse_line(const std::string& line);

}  // namespace finality::store
