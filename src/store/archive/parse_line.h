// Reads a line of an archive back into rows.
#pragma once

#include <string>

#include "base/result.h"
#include "store/archive/archivist.h"

namespace finality::store {

/// The inverse of line_of(). Before it returns, it makes a line of the result and checks that this line has every value
/// of `line`. A line that is older than a column or a list of the schema gives the column its default value and leaves
/// the list empty. An error names the column whose value cannot be read, or says that the line has a column that
/// this program does not know.
Result<WholeOrder> parse_line(const std::string& line);

}  // namespace finality::store
