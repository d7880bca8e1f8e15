// Loading what a batch needs, in one round trip as a rule.
//
// The order of the statements is what makes it sound without one snapshot (each statement sees at least as much as the
// ones before): first the natural keys, then the roots they name, so that a key that was seen always has its row; the
// parts of a root after it was locked, so that they are as new as it is; transfers and holds with their numbers after
// the accounts whose locks guard them. Roots are locked table by table and by id, so that two batches wait for each
// other and never in a circle. Where nothing is locked the commit compares the version of every root that has parts.
//
// A second round trip is taken by children of types that few roots have, where a root says that it has some
// (presence_of() in model/aggregate.h); and by orders that only a natural key names: nearly always it names none,
// because the order is about to be made, and further statements would have looked for the children of nothing.
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
  /// `form` `locking`: roots are locked until the transaction ends. `sharded`: only the shards of reads.owners are
  /// asked, or all where it names none.
  Loader(Connection& connection, const ReadSet& reads, Form form);

  /// Adds all statements to the round trip.
  void send();
  /// Ends the round trip, takes another one for children whose bits roots have, and puts all rows into `rows`,
  /// which keeps what it has. `first`: how many statements were sent before those of send().
  std::expected<void, Failure> finish(std::size_t first, WorkingSet& rows);
  /// What a second loader has to load, now that the natural keys are known; `orders` is empty where there is nothing.
  ReadSet rest(const WorkingSet& rows) const;

 private:
  /// Puts the rows of a reply into the batch's rows.
  using Take = std::function<void(const Reply&, WorkingSet&)>;
  /// Keeps it apart: roots, whose children may still be asked for, and children.
  using Keep = std::function<void(const Reply&)>;
  /// How a statement's reply is handled: by one of them.
  struct Asked {
    Take take;
    Keep keep;
  };

  void send(const SqlStatement& statement, Parameters parameters, Asked asked);
  void ask(const SqlStatement& statement, Parameters parameters, Take take) {
    send(statement, std::move(parameters), {.take = std::move(take), .keep = {}});
  }
  void ask(const SqlStatement& statement, Parameters parameters, Keep keep) {
    send(statement, std::move(parameters), {.take = {}, .keep = std::move(keep)});
  }
  Replies finish_trip(const std::vector<Asked>& asked, std::size_t first);
  template <class Row>
  void ask_for_rows(const SqlStatement& statement, Parameters parameters);
  void ask_for_keys();
  void ask_for_orders();
  void ask_for_deliveries();
  void ask_for_accounts();
  void ask_for_transfers_and_holds();
  void ask_for_prices();
  template <class Row>
  void ask_for_children();
  template <class Row>
  Keep sort_in();
  template <class Row>
  void ask_for_list(const SqlStatement& statement);
  void ask_for_platform();
  void ask_for_merchants();
  void ask_for_idempotency_records();
  template <Aggregate T>
  void keep_aggregates(WorkingSet& rows);
  void keep_absences(WorkingSet& rows) const;

  bool any_order() const { return !reads_.orders.empty() || !reads_.payments.empty(); }
  bool any_transfer() const { return !reads_.transfers.empty() || !transfer_keys_.empty(); }
  bool any_hold() const { return !reads_.holds.empty() || !hold_keys_.empty(); }
  bool orders_follow() const { return !any_order() && !order_keys_.empty(); }

  /// By the root's id.
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
  std::vector<Asked> asked_;  // in the round trip under way
  // Of the keys to be followed, by what they name.
  const std::vector<Hash16> order_keys_;
  const std::vector<Hash16> account_keys_;
  const std::vector<Hash16> transfer_keys_;
  const std::vector<Hash16> hold_keys_;
  const std::vector<Hash16> price_keys_;
  boost::mp11::mp_apply<std::tuple, boost::mp11::mp_transform<Found, Aggregates>> found_;
};

}  // namespace finality::postgres
