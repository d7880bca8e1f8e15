// SQL that finds expired rows, for SQLite and PostgreSQL. Parameters first appear in numerical order, because SQLite
// binds them in that order.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/time/time.h"
#include "model/objects/delivery.h"
#include "model/objects/statement.h"

namespace finality::store {

/// Selects id and key_hash of idempotency records with ids above $1 and below $2, oldest first, at most $3 rows.
inline constexpr const char* kOldIdempotencyRecords =
    "SELECT id, key_hash FROM idempotency_records WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3";

/// Returns the quoted names of the states that satisfy the predicate, separated by commas.
template <class State, class Is>
std::string states_where(Is is) {
  std::string names;
  for (std::size_t i = 0; i < kCount<State>; ++i)
    if (const auto state = static_cast<State>(i); is(state))
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name_of(state));
  return names;
}

/// Returns SQL that selects deliveries with ids above $2 and below $3, oldest first, at most $4 rows. Columns: id,
/// version, created_at, and 1 if the delivery is final, all its cases are resolved and all its events are before time
/// $1, otherwise 0.
inline std::string old_deliveries() {
  return fmt::format(
      "SELECT d.id, d.version, d.created_at, CAST(CASE WHEN d.state IN ({}) "
      "AND NOT EXISTS (SELECT 1 FROM changes e WHERE e.root_id = d.id AND e.merchant_id = d.merchant_id AND e.at >= "
      "$1) "
      "AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.state <> "
      "'resolved') "
      "THEN 1 ELSE 0 END AS bigint) FROM deliveries d WHERE d.id > $2 AND d.id < $3 ORDER BY d.id LIMIT $4",
      states_where<DeliveryState>([](DeliveryState state) { return delivery_machine.is_final(state); }));
}

/// Returns SQL that selects the files of statements with ids above $2 and below $3, oldest first, at most $4 rows.
/// Columns: id of the statement, received_at, and 1 if the file may be deleted: it was received before $1, and no
/// version of its day is to be downloaded or compared.
inline std::string old_files() {
  return fmt::format(
      "SELECT s.id, coalesce(s.received_at, 0), CAST(CASE WHEN s.received_at < $1 AND NOT EXISTS (SELECT 1 "
      "FROM statements n WHERE n.merchant_id = s.merchant_id AND n.channel_account_id = s.channel_account_id "
      "AND n.date = s.date AND n.kind = s.kind AND n.funds_account = s.funds_account "
      "AND (n.state NOT IN ({}) OR n.is_fetched_again = 1)) THEN 1 ELSE 0 END AS bigint) "
      "FROM statement_parts p JOIN statements s ON s.id = p.statement_id AND s.merchant_id = p.merchant_id "
      "WHERE p.part_no = 0 AND p.statement_id > $2 AND p.statement_id < $3 ORDER BY p.statement_id LIMIT $4",
      states_where<StatementState>(
          [](StatementState state) { return statement_machine.due_effect(state) == StatementEffect::none; }));
}

/// Returns SQL that records that rows of that kind up to the instant $1 may have been deleted: deliveries by
/// created_at, files of statements by received_at.
inline std::string note_expired(std::string_view kind) {
  return fmt::format(
      "INSERT INTO expired (kind, until) VALUES ('{}', $1) "
      "ON CONFLICT (kind) DO UPDATE SET until = excluded.until WHERE expired.until < excluded.until",
      kind);
}
inline constexpr std::string_view kDeliveriesExpired = "deliveries";
inline constexpr std::string_view kFilesExpired = "statement_files";

/// A result row of the query old_deliveries().
struct OldDelivery {
  DeliveryId id;
  std::int64_t version = 0;
  Time created_at;
  bool is_removable = false;  // the fourth column: whether the delivery may be deleted
};

/// A result row of the query old_files().
struct OldFile {
  StatementId id;
  Time received_at;
  bool is_removable = false;
};

}  // namespace finality::store
