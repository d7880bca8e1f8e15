// Loads the read set of a batch, usually in one round trip.
//
// The statements share no snapshot, but each sees at least as much as the ones before it. Their order keeps the result
// consistent. They read natural keys before the roots that these name, so that every key that was read has its row.
// They read the children of a root after they locked it, so that the children are as new as the root. They read
// transfers and holds, with their keys, after they locked the accounts that guard them. They lock roots table by table
// and by id, so that two batches cannot deadlock. Without locks, the commit compares the version of every root that has
// children.
//
// A second round trip loads two kinds of rows. One is children of rare types, when a root's presence bits announce them
// (presence_of() in model/aggregate.h). The other is orders that only a natural key names. Usually the key does not
// exist yet, because the batch is about to create the order, and reading children in the first trip would be wasted.
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
  /// Form::locking keeps roots locked until the transaction ends. Form::sharded queries only the shards of
  /// reads.owners, or all shards when that is empty.
  Loader(Connection& connection, const ReadSet& reads, Form form);

  /// Adds all statements to the round trip.
  void send();
  /// Finishes the round trip, makes a second one for children that presence bits announce, and adds all rows to `rows`.
  /// Keeps rows that are already in `rows`. `first` is the number of statements sent before those of send().
  std::expected<void, Failure> finish(std::size_t first, WorkingSet& rows);
  /// The read set for a second loader, after the natural keys are resolved. Its `orders` is empty when no order remains
  /// to be loaded.
  ReadSet rest(const WorkingSet& rows) const;

 private:
  /// Adds the rows of a reply to the batch's rows.
  using Take = std::function<void(const Reply&, WorkingSet&)>;
  /// Keeps the roots or children of a reply aside until all children are loaded.
  using Keep = std::function<void(const Reply&)>;
  /// The handler of a statement's reply. Exactly one member is set.
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

  /// Aggregates by the root's id.
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
  std::vector<PendingRead> pending_;  // of the current round trip
  // Hashes of the keys to follow, by the type of the object that they name.
  const std::vector<Hash16> order_keys_;
  const std::vector<Hash16> account_keys_;
  const std::vector<Hash16> transfer_keys_;
  const std::vector<Hash16> hold_keys_;
  const std::vector<Hash16> price_keys_;
  boost::mp11::mp_apply<std::tuple, boost::mp11::mp_transform<Found, Aggregates>> found_;
};

}  // namespace finality::postgres
