// Functions with which bugs change decided rows before the commit.
#pragma once

#include <vector>

#include "model/working_set.h"

namespace finality::sim {

/// Calls `visit` with a mutable OrderAggregate for each order that the commit changes or creates.
template <class Visit>
void each_changed_order(WorkingSet& rows, Visit visit) {
  std::vector<OrderId> changed;
  rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
    if (now && (!base || base->order.version != now->order.version)) changed.push_back(id);
  });
  for (const OrderId id : changed) visit(rows.orders.change(id));
}

/// Calls `visit` with a mutable row for each row of `map` for which `predicate(base, now)` is true. `base` is the
/// stored row, `now` the row after the decision.
template <class Key, class T, class Hash, class Predicate, class Visit>
void each_row(SlotMap<Key, T, Hash>& map, Predicate predicate, Visit visit) {
  std::vector<Key> keys;
  map.each([&](const auto& key, const auto& base, const auto& now) {
    if (now && predicate(base, *now)) keys.push_back(key);
  });
  for (const auto& key : keys) visit(map.change(key));
}

/// Discards the changes of the rows for which `lost(base, now)` returns true, so that the commit does not write them.
template <class Key, class T, class Hash, class Lost>
void lose_rows(SlotMap<Key, T, Hash>& map, Lost lost) {
  std::vector<std::pair<Key, std::optional<T>>> found;
  map.each([&](const auto& key, const auto& base, const auto& now) {
    if (now && lost(base, *now)) found.emplace_back(key, base);
  });
  for (auto& [key, base] : found) map.load(key, std::move(base));
}

/// Predicate for each_row and lose_rows: true if the row is not stored yet.
inline constexpr auto is_new = [](const auto& base, const auto&) { return !base; };

}  // namespace finality::sim
