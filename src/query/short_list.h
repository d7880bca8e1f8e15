// Cuts pages out of short lists, which the store returns completely.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "store/store.h"

namespace finality::query {

/// Sorts `rows` from newest to oldest and removes all rows outside the page. Returns has_more: whether there are more
/// rows after the page, or before the page if `page.before` is set.
template <class Row>
bool cut_to_page(std::vector<Row>& rows, const Page& page) {
  std::erase_if(rows, [&page](const Row& row) {
    return (page.after && row.id.value >= *page.after) || (page.before && row.id.value <= *page.before);
  });
  std::ranges::sort(rows, std::ranges::greater(), &Row::id);
  const bool has_more = rows.size() > page.limit;
  if (has_more && page.before) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(page.limit));
  if (has_more) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(page.limit), rows.end());
  return has_more;
}

}  // namespace finality::query
