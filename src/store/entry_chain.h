// An account's statement in a database: read from entry to entry, each of which names the one before it. The index
// `entries_by_account` knows one entry in 61 only, to begin from (ADR 0026).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "store/columns.h"
#include "store/paging.h"

namespace finality::store {

/// An entry of merchant $1's account $2 that the index knows, with an id of $3 or later: the first after $4 of them.
/// Both databases take these numbers; each parameter is first named in the order of its number, as SQLite binds them.
inline constexpr std::string_view kIndexedEntrySql =
    "SELECT id FROM entries WHERE merchant_id = $1 AND account_id = $2 AND id % 61 = 0 AND id >= $3 "
    "ORDER BY id LIMIT 1 OFFSET $4";

/// Which entries entry_chain_sql() is to find, and how it gets to them.
struct EntryWalk {
  std::int64_t above;  // exclusive, as in Window
  std::int64_t below;
  Time from;  // of created_at, inclusive
  Time to;    // exclusive
  MerchantId merchant;
  EntryId start;        // the first it looks at: of the account, and found only if it is within the bounds
  std::int64_t enough;  // rows: it ends when it has found so many, or has come to `above`
};

/// Entries from the start on back, newest first; the parameters are EntryWalk's members. That an entry's id is less
/// than the one of the entry that names it holds always; where the store is damaged it keeps the walk from going in a
/// circle.
inline std::string entry_chain_sql() {
  const std::string wanted = "CASE WHEN id > $1 AND id < $2 AND created_at >= $3 AND created_at < $4 THEN 1 ELSE 0 END";
  return "WITH RECURSIVE chain(at, before, wanted, found) AS (SELECT id, previous_id, " + wanted + ", " + wanted +
         " FROM entries WHERE merchant_id = $5 AND id = $6 UNION ALL SELECT id, previous_id, " + wanted + ", found + " +
         wanted +
         " FROM chain JOIN entries ON id = before WHERE merchant_id = $5 AND found < CAST($7 AS bigint) AND id > $1 "
         "AND id < at) " +
         "SELECT " + column_names<Entry>() +
         " FROM chain JOIN entries ON id = at WHERE merchant_id = $5 AND wanted = 1 ORDER BY id DESC";
}

/// One page of a statement, of an account as it was read: what was posted since need not be in it.
///   indexed(at_least, others) -> Result<std::optional<EntryId>>   kIndexedEntrySql
///   walk(EntryWalk)           -> Result<std::vector<Entry>>       entry_chain_sql()
template <class Indexed, class Walk>
Result<Listed<Entry>> list_entries(const Account& account, const EntryFilter& filter, const Page& page, Indexed indexed,
                                   Walk walk) {
  if (!account.last_entry_id) return Listed<Entry>{};
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  Window window(page, false);
  // Ids carry their time, and run ahead of it at most: it only narrows the range that is read.
  if (filter.from) window.above = std::max(window.above, first_id_at(*filter.from) - 1);
  const std::size_t wanted = page.limit + 1;
  EntryWalk way{.above = window.above,
                .below = window.below,
                .from = filter.from.value_or(Time{}),
                .to = filter.to.value_or(Time{kAll}),
                .merchant = account.merchant_id,
                .start = *account.last_entry_id,
                .enough = window.upwards ? kAll : static_cast<std::int64_t>(wanted)};
  if (!window.upwards) {
    if (page.after) {
      const Result<std::optional<EntryId>> start = indexed(window.below, 0);
      if (!start) return std::unexpected(start.error());
      way.start = start->value_or(*account.last_entry_id);
    }
    auto rows = walk(way);
    if (!rows) return std::unexpected(rows.error());
    return cut(std::move(*rows), page);
  }
  // The page nearest above an id is the end of a walk that began far enough up. How far is found out: indexed entries
  // are spread by chance.
  constexpr std::int64_t kFirstTry = 4;
  for (std::int64_t others = kFirstTry;; others *= 2) {
    const Result<std::optional<EntryId>> start = indexed(window.above, others);
    if (!start) return std::unexpected(start.error());
    way.start = start->value_or(*account.last_entry_id);
    auto rows = walk(way);
    if (!rows) return std::unexpected(rows.error());
    if (*start && rows->size() < wanted) continue;
    std::ranges::reverse(*rows);
    if (rows->size() > wanted) rows->resize(wanted);
    return cut(std::move(*rows), page);
  }
}

}  // namespace finality::store
