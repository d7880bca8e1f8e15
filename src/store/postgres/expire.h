// Deletes expired idempotency records, deliveries and files of statements, in two round trips within one transaction.
// An advisory lock lets only one process expire rows at a time.
#pragma once

#include <vector>

#include "store/postgres/connection.h"
#include "store/sql/expire_sql.h"
#include "store/store.h"

namespace finality::postgres {

/// One call of Session::expire(). The session begins and ends the transaction.
class Expiry {
 public:
  Expiry(Connection& connection, const ExpireStep& step) : connection_(connection), step_(step) {}

  /// Adds the queries for expired rows to the round trip.
  void send_search();
  /// Reads the rows that the queries of send_search() returned. `first` is the index of the first query's reply.
  void take_search(const std::vector<Reply>& replies, std::size_t first);
  bool anything_to_delete() const { return !records_.empty() || !deliveries_.empty() || !files_.empty(); }
  /// Adds the DELETE statements to the round trip.
  void send_removal();
  /// Whether all rows were still unchanged and have been deleted. `first` is the index of the first DELETE's reply.
  bool is_removed(const std::vector<Reply>& replies, std::size_t first) const;
  Expired outcome(bool removed) const;

 private:
  void take_files(const Reply& reply);
  void take_deliveries(const Reply& reply);

  Connection& connection_;
  const ExpireStep& step_;
  std::vector<IdempotencyRecordId> records_;
  std::vector<Hash16> hashes_;  // key hashes of records_
  std::vector<DeliveryId> deliveries_;
  std::vector<std::int64_t> versions_;  // versions of deliveries_
  Time deliveries_until_;
  std::vector<StatementId> files_;  // statements whose files may be deleted
  Time files_until_;
  StatementId last_file_;
  std::size_t files_read_ = 0;
  DeliveryId last_read_;
  std::size_t read_count_ = 0;
  bool is_locked_elsewhere_ = false;  // another process holds the advisory lock and expires rows
};

}  // namespace finality::postgres
