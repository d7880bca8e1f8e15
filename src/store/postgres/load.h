// Loads the read set of a batch, usually in one round trip.
//
// The statements share no snapshot, but each statement sees every commit that an earlier statement saw. Their order
// keeps the result consistent:
//   - Natural keys are read before the roots that they name, so that every key that was read has its row.
//   - The children of a root are read after the root is locked, so that they are as new as the root.
//   - Transfers and holds, with their keys, are read after the accounts that guard them are locked.
//   - Roots are locked table by table and by id, so that two batches cannot deadlock.
// Without locks, the commit compares the version of every root that has children.
//
// A second round trip loads children of rare types if a root's presence bit for the type is set (presence_of() in
// model/aggregate.h). Another loads orders that only a natural key names. Such a key usually does not exist yet,
// because the batch creates the order, and then that round trip is not needed.
#pragma once

#include <expected>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/read_set.h"
#include "model/working_set.h"
#include "store/postgres/connection.h"
#include "store/postgres/rows.h"

namespace finality::postgres {

class Loader {
 public:
  /// With Form::locking, roots stay locked until the transaction ends. With Form::sharded, only the shards of the
  /// merchants in reads.owners are queried, or all shards if it is empty. `connection` and `reads` must outlive this.
  Loader(Connection& connection, const ReadSet& reads, Form form);

  /// Adds all statements to the round trip.
  void send();
  /// Finishes the round trip, loads children of rare types in a second one, and adds all rows to `rows`. Does not
  /// replace rows that are already in `rows`. `first` is the number of statements that were sent before send().
  std::expected<void, Failure> finish(std::size_t first, WorkingSet& rows);
  /// Called after finish(). Returns the read set for a second Loader: the orders that only natural keys name, and the
  /// channel rates, unknown receipts, statements and differences that natural keys name. Channel rates are on every
  /// shard, so no statement can join them with the keys of a merchant; the others are rare. is_empty() tells whether no
  /// row remains to be loaded.
  ReadSet rest(const WorkingSet& rows) const;
  static bool is_empty(const ReadSet& rest);

 private:
  /// Adds the rows of a reply to the working set.
  using Take = std::function<void(const Reply&, WorkingSet&)>;
  /// Stores the roots or children of a reply in found_ until all children are loaded.
  using Keep = std::function<void(const Reply&)>;
  /// The handler of the reply to a statement. Exactly one of the two members is set.
  struct PendingRead {
    Take take;
    Keep keep;
  };

  void send(const SqlStatement& statement, Parameters parameters, PendingRead pending);
  void ask(const SqlStatement& statement, Parameters parameters, Take take) {
    send(statement, std::move(parameters), {.take = std::move(take), .keep = {}});
  }
  void ask(const SqlStatement& statement, Parameters parameters, Keep keep) {
    send(statement, std::move(parameters), {.take = {}, .keep = std::move(keep)});
  }
  Replies finish_trip(const std::vector<PendingRead>& pending, std::size_t first);
  template <class Row>
  void request_rows(const SqlStatement& statement, Parameters parameters);
  void request_keys();
  void request_orders();
  void request_deliveries();
  void request_unknown_receipts();
  void request_statements();
  void request_accounts();
  void request_transfers_and_holds();
  void request_prices();
  template <class Row>
  void request_children();
  template <class Row>
  Keep sort_in();
  template <class Row>
  void request_list(const SqlStatement& statement);
  void request_platform();
  void request_merchants();
  void request_idempotency_records();
  template <Aggregate T>
  void keep_aggregates(WorkingSet& rows);
  void keep_absences(WorkingSet& rows) const;

  bool any_order() const { return !reads_.orders.empty() || !reads_.payments.empty(); }
  bool any_transfer() const { return !reads_.transfers.empty() || !transfer_keys_.empty(); }
  bool any_hold() const { return !reads_.holds.empty() || !hold_keys_.empty(); }
  bool orders_follow() const { return !any_order() && !order_keys_.empty(); }

  /// Loaded aggregates, by the id of the root.
  template <class T>
  using Found = std::unordered_map<std::int64_t, T>;
  template <class T>
  Found<T>& found() {
    return std::get<Found<T>>(found_);
  }

  Connection& connection_;
  const ReadSet& reads_;
  const Form form_;
  RowReader reader_;
  std::vector<PendingRead> pending_;  // handlers of the statements in the current round trip
  // Hashes of natural keys whose objects are loaded too, by the type of the object.
  const std::vector<Hash16> order_keys_;
  const std::vector<Hash16> account_keys_;
  const std::vector<Hash16> transfer_keys_;
  const std::vector<Hash16> hold_keys_;
  const std::vector<Hash16> price_keys_;
  const std::vector<Hash16> rate_keys_;
  const std::vector<Hash16> unknown_receipt_keys_;
  const std::vector<Hash16> statement_keys_;
  const std::vector<Hash16> difference_keys_;
  boost::mp11::mp_apply<std::tuple, boost::mp11::mp_transform<Found, Aggregates>> found_;
};

}  // namespace finality::postgres
