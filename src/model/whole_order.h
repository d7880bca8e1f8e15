// Whole order: an order with all of its rows, as an archive stores it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "model/aggregate.h"
#include "model/objects/event.h"

namespace finality {

struct WholeDelivery {
  DeliveryAggregate rows;
  std::vector<Event> events;
};

/// An order with all of its rows, except ledger entries and natural keys, which stay in the store.
struct WholeOrder {
  OrderAggregate rows;
  std::vector<Event> events;  // oldest first, as are all lists of rows in WholeOrder
  std::vector<WholeDelivery> deliveries;
};

/// An archived order that a commit puts back into the store: it inserts every row, points the natural keys of the order
/// to their objects again, and deletes its row of archived_orders. The commit conflicts if that row does not name
/// `archive`.
struct RestoredOrder {
  std::shared_ptr<const WholeOrder> order;
  std::string archive;
};

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

}  // namespace finality
