// Moving whole orders out of a store and back: what belongs to one, which may go, the step that removes them, and the
// one that puts an order back.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/aggregate.h"
#include "model/objects/archived_order.h"
#include "model/objects/channel_account.h"
#include "model/objects/event.h"

namespace finality::store {

struct WholeDelivery {
  DeliveryAggregate rows;
  std::vector<Event> events;
};

/// An order with all that is kept of it, but its entries and natural keys, which stay.
struct WholeOrder {
  OrderAggregate rows;
  std::vector<Event> events;  // oldest first, as all rows here
  std::vector<WholeDelivery> deliveries;
};

/// Whether it has ended for good: nothing of it is open, due, in suspense or in the exception queue, its last step, and
/// its deliveries' last steps, are before `before`, and the presence bits match the rows.
bool is_over(const WholeOrder& order, Time before);

/// Not thread safe; one at a time on a store.
class Archivist {
 public:
  /// Whether the order, as it is in the store now, may be removed.
  using MayGo = std::function<bool(const WholeOrder&)>;

  virtual ~Archivist() = default;

  /// Orders behind `after` that were made before `before`, are final and not due, oldest first, `limit` at most.
  /// Whether they are over shows only when they are read.
  virtual Result<std::vector<OrderId>> candidates(OrderId after, Time before, std::size_t limit) = 0;
  /// Those of the orders that are there, in one snapshot, by id.
  virtual Result<std::vector<WholeOrder>> read(const std::vector<OrderId>& ids) = 0;
  /// Those of the orders that were archived.
  virtual Result<std::vector<ArchivedOrder>> archived(const std::vector<OrderId>& ids) = 0;
  /// Removes, in one transaction, those of the orders that may go, and leaves for each that it went to `archive` at
  /// `now`, and its natural keys, which name the order from then on. Answers with them. An order that somebody changes
  /// meanwhile stays. An error removes nothing, but one that was lost with its COMMIT may have: archived() tells.
  virtual Result<std::vector<OrderId>> remove(const std::vector<OrderId>& ids, const std::string& archive, Time now,
                                              const MayGo& may_go) = 0;
  /// Inserts every row of an order that was archived, renames its natural keys back, and deletes its row of
  /// archived_orders, in one transaction. An error when that row does not name `archive`, or a row is in the store
  /// already. An error changes nothing, except that a lost COMMIT may have been carried out: read() then returns the
  /// order.
  virtual Result<void> restore(const WholeOrder& order, const std::string& archive) = 0;
};

/// On SQLite no server may run on the store; on PostgreSQL servers may, and the role must be the tables' owner.
Result<std::unique_ptr<Archivist>> open_archivist(const std::string& url);

/// What a natural key names before and after its order was archived.
struct RenamedKey {
  Hash16 hash{};
  std::int64_t id = 0;
  OrderId order_id;
};

/// The keys of an order, its receipts and its refunds.
std::vector<RenamedKey> keys_of(const OrderAggregate& order);

/// Calls visit(row) for every row of an aggregate, the root before its children.
template <Aggregate T, class Visit>
void for_each_row(const T& aggregate, Visit visit) {
  visit(root_of(aggregate));
  for_each_child_type<T>([&](std::string_view, auto member) { std::ranges::for_each(aggregate.*member, visit); });
}

/// The same for the whole order, with its events and deliveries.
template <class Visit>
void for_each_row(const WholeOrder& whole, Visit visit) {
  for_each_row(whole.rows, visit);
  std::ranges::for_each(whole.events, visit);
  for (const WholeDelivery& one : whole.deliveries) {
    for_each_row(one.rows, visit);
    std::ranges::for_each(one.events, visit);
  }
}

}  // namespace finality::store
