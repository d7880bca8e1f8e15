// Lists the entries of an account in a database. The entries form a chain: each entry has the id of the previous entry
// of its account. The partial index `entries_by_account` contains about one entry in 61. A list starts at an indexed
// entry and follows the chain (ADR 0026).
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
#include "store/sql/columns.h"
#include "store/sql/paging.h"

namespace finality::store {

/// Selects an indexed entry of account $2 of merchant $1: the first with an id of at least $3, after skipping $4
/// indexed entries. Parameters first appear in numerical order, because SQLite binds them in that order.
inline constexpr std::string_view kIndexedEntrySql =
    "SELECT id FROM entries WHERE merchant_id = $1 AND account_id = $2 AND id % 61 = 0 AND id >= $3 "
    "ORDER BY id LIMIT 1 OFFSET $4";

/// The index `entries_ahead` contains the entries whose id has a time more than this after created_at.
inline constexpr Duration kEntryAhead = std::chrono::minutes(15);

/// The condition of that index, literally: the planners compare the texts.
inline constexpr std::string_view kEntryAheadCondition = "id / 4194304 + 1704067200000 - created_at > 900000";
static_assert(first_id_at(Time{1'704'067'200'000 + 900'000}) == 4'194'304 * kEntryAhead.count());

/// Selects from the index `entries_ahead` the last entry of account $2 of merchant $1 that has an id of at least $3 and
/// was created before $4.
inline std::string entry_ahead_sql() {
  return "SELECT id FROM entries WHERE merchant_id = $1 AND account_id = $2 AND " + std::string(kEntryAheadCondition) +
         " AND id >= $3 AND created_at < $4 ORDER BY id DESC LIMIT 1";
}

/// Parameters of entry_chain_sql(), in order.
struct EntryWalk {
  EntryId start;       // the first entry visited; returned only if it is of the account and within the bounds
  std::int64_t below;  // upper bound of the id, exclusive
  Time from;           // lower bound of created_at, inclusive
  Time to;             // upper bound of created_at, exclusive
  MerchantId merchant;
  AccountId account;
  std::int64_t enough;  // maximum number of rows, after which the walk ends
  std::int64_t above;   // lower bound of the id, exclusive, at which the walk ends
};

/// Returns SQL that follows the chain back from the start and selects entries newest first. Its parameters are the
/// members of EntryWalk. A previous entry always has a smaller id. The condition `id < at` ends the walk if a damaged
/// store violates this, which could otherwise cause an endless loop.
inline std::string entry_chain_sql() {
  const std::string where = "id < $2 AND created_at >= $3 AND created_at < $4";
  return "WITH RECURSIVE chain(at, before, found) AS (SELECT CAST(9223372036854775807 AS bigint), CAST($1 AS bigint), "
         "0 "
         "UNION ALL SELECT id, previous_id, found + CASE WHEN " +
         where +
         " THEN 1 ELSE 0 END "
         "FROM chain JOIN entries ON id = before WHERE merchant_id = $5 AND account_id = $6 "
         "AND found < CAST($7 AS bigint) AND id > $8 AND id < at) SELECT " +
         column_names<Entry>() + " FROM chain JOIN entries ON id = at WHERE merchant_id = $5 AND " + where +
         " ORDER BY id DESC";
}

/// Returns one page of the entries of `account`, a row that was read before. Entries posted since that read may be
/// missing. The caller's functions run these statements:
///   indexed(at_least, others) -> Result<std::optional<EntryId>>   kIndexedEntrySql
///   ahead(at_least, to)       -> Result<std::optional<EntryId>>   entry_ahead_sql()
///   walk(EntryWalk)           -> Result<std::vector<Entry>>       entry_chain_sql()
template <class Indexed, class Ahead, class Walk>
Result<Listed<Entry>> list_entries(const Account& account, const EntryFilter& filter, const Page& page, Indexed indexed,
                                   Ahead ahead, Walk walk) {
  if (!account.last_entry_id) return Listed<Entry>{};
  Window window(page, false);
  // The filter bounds created_at. The time in an entry's id is never before created_at, but can be after it. `end` is
  // an upper bound for the ids of the entries that can match.
  std::int64_t end = window.below;
  if (filter.from) window.above = std::max(window.above, first_id_at(*filter.from) - 1);
  if (filter.to) {
    const std::int64_t later = first_id_at(*filter.to + kEntryAhead);
    const auto last = ahead(later, *filter.to);
    if (!last) return std::unexpected(last.error());
    end = std::min(end, *last ? (*last)->value + 1 : later);
  }
  const std::size_t rows_max = page.limit + 1;
  // The chain leads to smaller ids only. To list entries just above an id, the walk starts at an indexed entry far
  // enough above it. The number of indexed entries between is doubled until the walk finds a full page, because their
  // distances are random. For entries below an id, the first walk always finds the page.
  constexpr std::int64_t kFirstTry = 4;
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t others = window.upwards ? kFirstTry : 0;; others *= 2) {
    const std::int64_t at_least = window.upwards ? window.above : end;
    std::optional<EntryId> start;
    if (at_least < kLargestId) {
      const Result<std::optional<EntryId>> found = indexed(at_least, others);
      if (!found) return std::unexpected(found.error());
      start = *found;
    }
    Result<std::vector<Entry>> rows = walk({.start = start.value_or(*account.last_entry_id),
                                            .below = window.below,
                                            .from = filter.from.value_or(Time{}),
                                            .to = filter.to.value_or(kNoEnd),
                                            .merchant = account.merchant_id,
                                            .account = account.id,
                                            .enough = window.upwards ? kNoLimit : static_cast<std::int64_t>(rows_max),
                                            .above = window.above});
    if (!rows) return std::unexpected(rows.error());
    if (window.upwards) {
      if (start && start->value < end && rows->size() < rows_max) continue;
      std::ranges::reverse(*rows);
      if (rows->size() > rows_max) rows->resize(rows_max);
    }
    return cut(std::move(*rows), page);
  }
}

}  // namespace finality::store
