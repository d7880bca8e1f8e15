// SQL of the questions about the entries of a channel account, shared by the database stores.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/id.h"
#include "model/objects/statement.h"
#include "store/sql/columns.h"
#include "store/sql/entry_chain.h"
#include "store/taken_back.h"

namespace finality::store {

/// The four parameters in the dialect of the store, in this order: the bounds of the ids, channel account, limit.
struct UnmatchedParameters {
  std::string_view after;
  std::string_view until;
  std::string_view account;
  std::string_view limit;
};

/// Returns the condition that an entry has no match with a statement of that kind (Reader::unmatched_entries()).
inline std::string unmatched_condition(StatementKind kind) {
  if (kind == StatementKind::trades)
    return "NOT EXISTS (SELECT 1 FROM statement_matches AS m WHERE m.document_id = entries.document_id)";
  return fmt::format(
      "document_type <> 'statement' AND (type IN ({}) OR NOT EXISTS (SELECT 1 FROM funds_matches AS m WHERE "
      "m.document_id = entries.document_id))",
      kTakenBackSql);
}

/// Selects the entries of a channel account without a match. The range of ids comes first: it selects the rows to
/// examine.
inline std::string unmatched_entries_sql(StatementKind kind, const UnmatchedParameters& parameters) {
  return fmt::format(
      "SELECT {} FROM entries WHERE id > {} AND id <= {} AND account_id IN (SELECT id FROM accounts WHERE "
      "kind = 'channel_receivable' AND channel_account_id = {}) AND {} ORDER BY id LIMIT {}",
      column_names<Entry>(), parameters.after, parameters.until, parameters.account, unmatched_condition(kind),
      parameters.limit);
}

/// Reader::root_of_posting(). The parameters in the dialect of the store, in this order: the bounds of the ids,
/// document, merchant.
inline std::string root_of_posting_sql(std::string_view after, std::string_view until, std::string_view document,
                                       std::string_view merchant) {
  return fmt::format(
      "SELECT root_id FROM entries WHERE id > {} AND id <= {} AND document_id = {} AND merchant_id = {} ORDER BY id "
      "LIMIT 1",
      after, until, document, merchant);
}

/// The bounds of the ids of entries that were created from `from` until before `to`, except entries whose id is ahead
/// of their time by more than an hour.
struct IdBounds {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
inline IdBounds id_bounds_of(Time from, Time to) {
  return {first_id_at(from - std::chrono::hours(1)), first_id_at(to + std::chrono::hours(1))};
}

/// The parameters of entry_sums_sql() in the dialect of the store, in this order: the bounds of the ids, those of
/// created_at, channel account. Each is used several times.
struct EntrySumsParameters {
  std::string_view id_from;
  std::string_view id_to;
  std::string_view from;
  std::string_view to;
  std::string_view account;
};

/// Counts and sums the entries of a channel account by type and currency. Entries beyond the bounds of the ids are
/// found by the index `entries_ahead`; `+id` keeps the planner from reading all later entries instead.
inline std::string entry_sums_sql(const EntrySumsParameters& parameters) {
  const auto sums = [&](const std::string& ids) {
    return fmt::format(
        "SELECT type, currency, count(*) AS entries, CAST(sum(amount) AS bigint) AS amount FROM entries WHERE {} AND "
        "created_at >= {} AND created_at < {} AND account_id IN (SELECT id FROM accounts WHERE channel_account_id = "
        "{}) GROUP BY type, currency",
        ids, parameters.from, parameters.to, parameters.account);
  };
  return fmt::format(
      "SELECT type, currency, CAST(sum(entries) AS bigint), CAST(sum(amount) AS bigint) FROM ({} UNION ALL {}) AS sums "
      "GROUP BY type, currency ORDER BY currency, type",
      sums(fmt::format("id >= {} AND id < {}", parameters.id_from, parameters.id_to)),
      sums(fmt::format("{} AND +id >= {}", kEntryAheadCondition, parameters.id_to)));
}

}  // namespace finality::store
