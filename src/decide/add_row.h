// A new row of an aggregate takes the place that it will have when it is loaded again.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace finality {

/// Rows are in the order of their ids. Where several nodes make them, each by its own clock, the newest id is not
/// always the greatest. References to other rows of `rows` end.
template <class Row>
Row& add_row(std::vector<Row>& rows, Row row) {
  const auto at = std::ranges::upper_bound(rows, row.id, {}, &Row::id);
  return *rows.insert(at, std::move(row));
}

}  // namespace finality
