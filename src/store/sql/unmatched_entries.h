// SQL of Reader::unmatched_entries(), shared by the database stores.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "store/sql/columns.h"

namespace finality::store {

/// The four parameters in the dialect of the store, in this order: the bounds of the ids, channel account, limit.
struct UnmatchedParameters {
  std::string_view after;
  std::string_view until;
  std::string_view account;
  std::string_view limit;
};

/// Selects the entries of the receivable accounts of a channel account whose document has no match with a statement.
/// The range of ids comes first: it selects the rows to examine.
inline std::string unmatched_entries_sql(const UnmatchedParameters& parameters) {
  return fmt::format(
      "SELECT {} FROM entries WHERE id > {} AND id <= {} AND account_id IN (SELECT id FROM accounts WHERE "
      "kind = 'channel_receivable' AND channel_account_id = {}) AND NOT EXISTS (SELECT 1 FROM statement_matches AS m "
      "WHERE m.document_id = entries.document_id) ORDER BY id LIMIT {}",
      column_names<Entry>(), parameters.after, parameters.until, parameters.account, parameters.limit);
}

}  // namespace finality::store
