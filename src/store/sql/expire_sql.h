// SQL that finds expired rows, for SQLite and PostgreSQL. Parameters first appear in numerical order, because SQLite
// binds them in that order.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/time/time.h"
#include "model/objects/delivery.h"

namespace finality::store {

/// Selects id and key_hash of idempotency records with ids above $1 and below $2, oldest first, at most $3 rows.
inline constexpr const char* kOldIdempotencyRecords =
    "SELECT id, key_hash FROM idempotency_records WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3";

/// Returns SQL that selects deliveries with ids above $2 and below $3, oldest first, at most $4 rows. Columns: id,
/// version, created_at, and 1 if the delivery is final, all its cases are resolved and all its events are before time
/// $1, otherwise 0.
inline std::string old_deliveries() {
  std::string finals;
  for (std::size_t i = 0; i < kCount<DeliveryState>; ++i)
    if (const auto state = static_cast<DeliveryState>(i); delivery_machine.is_final(state))
      finals += fmt::format("{}'{}'", finals.empty() ? "" : ", ", name_of(state));
  return fmt::format(
      "SELECT d.id, d.version, d.created_at, CAST(CASE WHEN d.state IN ({}) "
      "AND NOT EXISTS (SELECT 1 FROM events e WHERE e.root_id = d.id AND e.merchant_id = d.merchant_id AND e.at >= $1) "
      "AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.state <> "
      "'resolved') "
      "THEN 1 ELSE 0 END AS bigint) FROM deliveries d WHERE d.id > $2 AND d.id < $3 ORDER BY d.id LIMIT $4",
      finals);
}

/// Records that deliveries with created_at up to $1 may have been deleted.
inline constexpr const char* kNoteExpiredDeliveries =
    "INSERT INTO expired (kind, until) VALUES ('deliveries', $1) "
    "ON CONFLICT (kind) DO UPDATE SET until = excluded.until WHERE expired.until < excluded.until";

/// A result row of the query old_deliveries().
struct OldDelivery {
  DeliveryId id;
  std::int64_t version = 0;
  Time created_at;
  bool is_removable = false;  // the fourth column: whether the delivery may be deleted
};

}  // namespace finality::store
