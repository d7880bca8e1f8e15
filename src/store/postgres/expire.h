// Deletes expired idempotency records and deliveries: two round trips within one transaction, one process at a time.
#pragma once

#include <vector>

#include "store/postgres/connection.h"
#include "store/sql/expire_sql.h"
#include "store/store.h"

namespace finality::postgres {

/// One step of Session::expire. The session begins and ends the transaction.
class Expiry {
 public:
  Expiry(Connection& connection, const ExpireStep& step) : connection_(connection), step_(step) {}

  /// Adds the queries for expired rows to the round trip.
  void send_search();
  /// Takes the rows that the queries returned; `first` is the index of the first query's reply.
  void take_search(const std::vector<Reply>& replies, std::size_t first);
  bool anything_to_delete() const { return !records_.empty() || !deliveries_.empty(); }
  /// Adds the deletions to the round trip.
  void send_removal();
  /// Whether the deletions found all rows unchanged; `first` is the index of the first deletion's reply.
  bool is_removed(const std::vector<Reply>& replies, std::size_t first) const;
  Expired outcome(bool removed) const;

 private:
  Connection& connection_;
  const ExpireStep& step_;
  std::vector<IdempotencyRecordId> records_;
  std::vector<Hash16> hashes_;  // of the records
  std::vector<DeliveryId> deliveries_;
  std::vector<std::int64_t> versions_;  // of the deliveries
  Time deliveries_until_;
  DeliveryId last_read_;
  std::size_t read_count_ = 0;
  bool is_locked_elsewhere_ = false;  // another process holds the expiry lock
};

}  // namespace finality::postgres
