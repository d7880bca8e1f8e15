// What expires, in SQL for both stores. Parameters appear in the order of their numbers, so that SQLite counts alike.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/time/time.h"
#include "model/objects/delivery.h"

namespace finality::store {

/// Records behind $1 and before $2, oldest first, $3 at most: id, key_hash.
inline constexpr const char* kOldIdempotencyRecords =
    "SELECT id, key_hash FROM idempotency_records WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3";

/// Deliveries behind $2 and before $3, oldest first, $4 at most: id, version, created_at, and 1 where it is final, its
/// cases are resolved and its last step is before the instant $1.
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

/// Deliveries made until $1 may be gone.
inline constexpr const char* kNoteExpiredDeliveries =
    "INSERT INTO expired (kind, until) VALUES ('deliveries', $1) "
    "ON CONFLICT (kind) DO UPDATE SET until = excluded.until WHERE expired.until < excluded.until";

/// A row of old_deliveries().
struct OldDelivery {
  DeliveryId id;
  std::int64_t version = 0;
  Time created_at;
  bool goes = false;
};

}  // namespace finality::store
