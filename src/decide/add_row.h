// Inserts a new row into a list of an aggregate at the position that it will have when the aggregate is loaded.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace finality {

/// Returns the inserted row. Rows are ordered by id. Nodes assign ids by their own clocks, so the row that is added
/// last does not always have the greatest id. Invalidates references to rows of `rows`.
template <class Row>
Row& add_row(std::vector<Row>& rows, Row row) {
  const auto at = std::ranges::upper_bound(rows, row.id, {}, &Row::id);
  return *rows.insert(at, std::move(row));
}

}  // namespace finality
