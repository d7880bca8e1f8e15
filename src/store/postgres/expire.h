// Deleting what has been kept long enough: two round trips within one transaction, of one process at a time.
#pragma once

#include <vector>

#include "store/postgres/connection.h"
#include "store/sql/expire_sql.h"
#include "store/store.h"

namespace finality::postgres {

/// One step of Session::expire. The session begins the transaction and ends it.
class Expiry {
 public:
  Expiry(Connection& connection, const ExpireStep& step) : connection_(connection), step_(step) {}

  /// Adds to the round trip what finds the rows, and takes what was answered; `first` is the place of the first reply.
  void send_search();
  void take_search(const std::vector<Reply>& replies, std::size_t first);
  bool anything_to_delete() const { return !records_.empty() || !deliveries_.empty(); }
  /// Adds to the round trip what deletes them, and says whether it found them all as they were.
  void send_removal();
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
  DeliveryId last_seen_;
  std::size_t seen_ = 0;
  bool others_do_ = false;  // another process is at it
};

}  // namespace finality::postgres
