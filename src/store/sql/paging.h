// Pagination shared by the readers of all stores.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace finality::store {

/// End of a time filter without an upper bound.
inline constexpr Time kNoEnd{std::numeric_limits<std::int64_t>::max()};

/// Id range and direction in which a page is read. A page before an id is read against the list's order, then reversed.
struct Window {
  std::int64_t above = std::numeric_limits<std::int64_t>::min();  // exclusive
  std::int64_t below = kLargestId;                                // exclusive
  bool upwards = false;

  Window(const Page& page, bool oldest_first) : upwards(oldest_first != page.before.has_value()) {
    if (page.after) (oldest_first ? above : below) = *page.after;
    if (page.before) (oldest_first ? below : above) = *page.before;
  }
  std::string_view order() const { return upwards ? " ORDER BY id" : " ORDER BY id DESC"; }
};

/// Cuts `rows` to the page. REQUIRES: up to page.limit + 1 rows were read; the extra row sets `has_more`.
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
