// Loading what a batch needs, in one round trip as a rule.
//
// The order of the statements is what makes it sound without one snapshot (each statement sees at least as much as the
// ones before): first the natural keys, then the roots they name, so that a key that was seen always has its row; the
// parts of a root after it was locked, so that they are as new as it is; transfers and holds with their numbers after
// the accounts whose locks guard them. Roots are locked table by table and by id, so that two batches wait for each
// other and never in a circle. Where nothing is locked the commit compares the version of every root that has parts.
//
// One case takes a second round trip: orders that only a natural key names. Nearly always it names none, because the
// order is about to be made, and six statements would have looked for the parts of nothing.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "model/needs.h"
#include "model/working_set.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

class Loader {
 public:
  /// `form` `locking`: roots are locked until the transaction ends. `sharded`: only the shards of needs.owners are
  /// asked, or all where it names none.
  Loader(Connection& connection, const Needs& needs, Form form);

  /// Adds all statements to the round trip.
  void send();
  /// Puts what they answered into `rows`, which keeps what it has. `replies` begins with the first of them.
  void take(const std::vector<Reply>& replies, std::size_t first, WorkingSet& rows);
  /// What a second loader has to load, now that the natural keys are known; `orders` is empty where there is nothing.
  Needs rest(const WorkingSet& rows) const;

 private:
  using Take = std::function<void(const Reply&, WorkingSet&)>;

  void ask(const Statement& statement, Parameters parameters, Take take);
  template <class Row, class AnId>
  void ask_for_rows(const Statement& statement, Parameters parameters, SlotMap<AnId, Row> WorkingSet::* map);
  void ask_for_keys();
  void ask_for_orders();
  void ask_for_deliveries();
  void ask_for_accounts();
  void ask_for_transfers_and_holds();
  void ask_for_prices();
  void ask_for_order_parts();
  template <class Row>
  void ask_for_parts(const Parameters& orders, std::vector<Row> OrderAggregate::* parts);
  void ask_for_cases();
  void ask_for_merchants();
  void ask_for_answers();
  template <class AnId, class Aggregate>
  void keep_aggregate(AnId id, Aggregate aggregate, SlotMap<AnId, Aggregate>& map) const;
  void keep_aggregates(WorkingSet& rows);
  void keep_absences(WorkingSet& rows) const;

  bool any_order() const;
  bool any_transfer() const;
  bool any_hold() const;
  bool orders_follow() const { return !any_order() && !needs_.order_keys.empty(); }

  Connection& connection_;
  const Needs& needs_;
  const Form form_;
  std::vector<Take> takes_;
  std::unordered_map<std::int64_t, OrderAggregate> orders_;
  std::unordered_map<std::int64_t, DeliveryAggregate> deliveries_;
  std::unordered_map<MerchantId, std::vector<WebhookEndpoint>> endpoints_;
  std::unordered_map<MerchantId, std::vector<Fee>> fees_;
};

}  // namespace finality::postgres
