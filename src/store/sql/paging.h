// Pagination of lists, shared by the readers of all stores.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace finality::store {

/// Upper bound of a time filter that has no upper bound.
inline constexpr Time kNoEnd{std::numeric_limits<std::int64_t>::max()};

/// The id range of a page and the direction in which its rows are read. The page that ends just before an id is read
/// backwards from that id; cut() then reverses its rows.
struct Window {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();  // no lower bound

  std::int64_t above = kNone;       // lower bound of the id, exclusive
  std::int64_t below = kLargestId;  // upper bound of the id, exclusive
  bool upwards = false;

  Window(const Page& page, bool oldest_first) : upwards(oldest_first != page.before.has_value()) {
    if (page.after) (oldest_first ? above : below) = *page.after;
    if (page.before) (oldest_first ? below : above) = *page.before;
  }
  std::string_view order() const { return upwards ? " ORDER BY id" : " ORDER BY id DESC"; }
};

/// Returns the page in the list's order. REQUIRES: `rows` was read through a Window with a limit of page.limit + 1. The
/// extra row is dropped and sets `has_more`.
template <class Row>
Listed<Row> cut(std::vector<Row> rows, const Page& page) {
  Listed<Row> list;
  list.has_more = rows.size() > page.limit;
  if (list.has_more) rows.resize(page.limit);
  if (page.before) std::ranges::reverse(rows);
  list.rows = std::move(rows);
  return list;
}

inline bool matches(const Order& order, const OrderFilter& filter) {
  return (!filter.state || order.state == *filter.state) &&
         (!filter.created_from || order.created_at >= *filter.created_from) &&
         (!filter.created_to || order.created_at < *filter.created_to);
}

}  // namespace finality::store
