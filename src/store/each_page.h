// Reads all pages of a list of the store.
#pragma once

#include <expected>
#include <utility>

#include "base/result.h"
#include "store/store.h"

namespace finality::store {

/// Calls `take` with the rows of each page, in the order of the list, until the list ends or a call returns an error.
///   list(const Page&) -> Result<Listed<Row>>
///   take(std::vector<Row>) -> Result<void>
template <class List, class Take>
Result<void> for_each_page(List list, Take take) {
  constexpr std::size_t kRowsPerPage = 1000;
  Page page{.limit = kRowsPerPage};
  while (true) {
    auto listed = list(std::as_const(page));
    if (!listed) return std::unexpected(listed.error());
    const bool has_more = listed->has_more;
    if (has_more) page.after = listed->rows.back().id.value;
    if (auto taken = take(std::move(listed->rows)); !taken) return taken;
    if (!has_more) return {};
  }
}

}  // namespace finality::store
