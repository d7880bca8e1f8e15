// Interface for moving whole orders out of a store and back: the rows of an order, the check whether it can be
// archived, removal and restore.
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

/// An order with all of its rows, except ledger entries and natural keys, which stay in the store.
struct WholeOrder {
  OrderAggregate rows;
  std::vector<Event> events;  // oldest first, like every list here
  std::vector<WholeDelivery> deliveries;
};

/// Whether the order can be archived: no row is open, due or in suspense; the order is not parked and has no open case;
/// all events of the order and its deliveries are before `before`; the presence bits match the rows.
bool is_over(const WholeOrder& order, Time before);

/// Not thread safe. At most one archivist at a time may use a store.
class Archivist {
 public:
  /// Returns whether the order, in its current state in the store, may be removed.
  using IsRemovable = std::function<bool(const WholeOrder&)>;

  virtual ~Archivist() = default;

  /// Returns final orders with ids after `after` that were created before `before` and are not due: oldest first, at
  /// most `limit`. A returned order can be archived only if is_over() accepts it after read().
  virtual Result<std::vector<OrderId>> candidates(OrderId after, Time before, std::size_t limit) = 0;
  /// Reads the orders in one snapshot. Returns the orders that exist, sorted by id.
  virtual Result<std::vector<WholeOrder>> read(const std::vector<OrderId>& ids) = 0;
  /// Returns the archive records of the orders that were archived.
  virtual Result<std::vector<ArchivedOrder>> archived(const std::vector<OrderId>& ids) = 0;
  /// Removes the orders that `is_removable` accepts, in one transaction. Records `archive` and `now` for each, and
  /// points its natural keys to the order. Returns the removed orders. Keeps an order that another writer changes
  /// meanwhile. An error removes nothing, except that a lost COMMIT may have been carried out: archived() then returns
  /// the orders.
  virtual Result<std::vector<OrderId>> remove(const std::vector<OrderId>& ids, const std::string& archive, Time now,
                                              const IsRemovable& is_removable) = 0;
  /// Inserts every row of an archived order, points its natural keys to their objects again, and deletes its row of
  /// archived_orders, in one transaction. Fails when that row does not name `archive`, or when a row is already in the
  /// store. An error changes nothing, except that a lost COMMIT may have been carried out: read() then returns the
  /// order.
  virtual Result<void> restore(const WholeOrder& order, const std::string& archive) = 0;
};

/// On SQLite, no server must be running on the store. On PostgreSQL, servers can be running, and the role must own the
/// tables.
Result<std::unique_ptr<Archivist>> open_archivist(const std::string& url);

/// The ids that a natural key maps to: `id` in the store, `order_id` while the order is archived.
struct RenamedKey {
  Hash16 hash{};
  std::int64_t id = 0;
  OrderId order_id;
};

/// The natural keys of an order, its receipts and its refunds.
std::vector<RenamedKey> keys_of(const OrderAggregate& order);

/// Calls visit(row) for every row of an aggregate, the root before its children.
template <Aggregate T, class Visit>
void for_each_row(const T& aggregate, Visit visit) {
  visit(root_of(aggregate));
  for_each_child_type<T>([&](std::string_view, auto member) { std::ranges::for_each(aggregate.*member, visit); });
}

/// Calls visit(row) for every row of an order, including its events and deliveries.
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
