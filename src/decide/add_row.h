// Inserts a new row into a child list of an aggregate, in the order in which stores load the list (by id).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace finality {

/// Inserts `row` by id and returns the inserted row. Appending would not keep the order: nodes assign ids by their
/// local clocks, so a later row can have a smaller id. Invalidates references to elements of `rows`.
template <class Row>
Row& add_row(std::vector<Row>& rows, Row row) {
  const auto at = std::ranges::upper_bound(rows, row.id, {}, &Row::id);
  return *rows.insert(at, std::move(row));
}

}  // namespace finality
