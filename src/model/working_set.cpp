#include "model/working_set.h"

#include <utility>

namespace finality {

template <class Key, class T, class Hash>
SlotMap<Key, T, Hash>::SlotMap() = default;
template <class Key, class T, class Hash>
SlotMap<Key, T, Hash>::SlotMap(const SlotMap& other) = default;
template <class Key, class T, class Hash>
SlotMap<Key, T, Hash>::SlotMap(SlotMap&& other) noexcept = default;
template <class Key, class T, class Hash>
SlotMap<Key, T, Hash>& SlotMap<Key, T, Hash>::operator=(const SlotMap& other) = default;
template <class Key, class T, class Hash>
SlotMap<Key, T, Hash>& SlotMap<Key, T, Hash>::operator=(SlotMap&& other) noexcept = default;
template <class Key, class T, class Hash>
SlotMap<Key, T, Hash>::~SlotMap() = default;

template <class Key, class T, class Hash>
void SlotMap<Key, T, Hash>::load(const Key& key, std::optional<T> row) {
  Slot<T>& slot = slots_[key];
  FINALITY_CHECK(!slot.saved, "a row was loaded over a change of the current scope");
  slot.now = std::move(row);
  slot.base.reset();
  slot.has_base = false;
}

template <class Key, class T, class Hash>
void SlotMap<Key, T, Hash>::recall(const Key& key, T row) {
  load(key, std::move(row));
  slots_[key].recalled = true;
  any_recalled_ = true;
}

template <class Key, class T, class Hash>
bool SlotMap<Key, T, Hash>::loaded(const Key& key) const {
  return slots_.contains(key);
}

template <class Key, class T, class Hash>
const T* SlotMap<Key, T, Hash>::find(const Key& key) const {
  const auto at = slots_.find(key);
  FINALITY_CHECK(at != slots_.end(), "a row was read that the command did not declare");
  return at->second.now ? &*at->second.now : nullptr;
}

template <class Key, class T, class Hash>
T& SlotMap<Key, T, Hash>::change(const Key& key) {
  Slot<T>& slot = save(key);
  FINALITY_CHECK(slot.now.has_value(), "a row was changed that does not exist");
  return *slot.now;
}

template <class Key, class T, class Hash>
T& SlotMap<Key, T, Hash>::insert(const Key& key, T row) {
  slots_.try_emplace(key);
  Slot<T>& slot = save(key);
  FINALITY_CHECK(!slot.now.has_value(), "a row was inserted twice");
  return slot.now.emplace(std::move(row));
}

template <class Key, class T, class Hash>
bool SlotMap<Key, T, Hash>::accept() {
  const bool changed = !undo_.empty();
  for (const Before& before : undo_) {
    before.slot->saved = false;
    if constexpr (Aggregate<T>) root_of(*before.slot->now).children = presence_of(*before.slot->now);
  }
  undo_.clear();
  return changed;
}

template <class Key, class T, class Hash>
void SlotMap<Key, T, Hash>::roll_back() {
  for (Before& before : undo_) {
    Slot<T>& slot = *before.slot;
    slot.saved = false;
    slot.now = std::move(before.is_base ? slot.base : before.row);
    if (before.is_base) slot.has_base = false;
  }
  undo_.clear();
}

template <class Key, class T, class Hash>
void SlotMap<Key, T, Hash>::clear() {
  slots_.clear();
  undo_.clear();
  any_recalled_ = false;
}

template <class Key, class T, class Hash>
Slot<T>& SlotMap<Key, T, Hash>::save(const Key& key) {
  const auto at = slots_.find(key);
  FINALITY_CHECK(at != slots_.end(), "a row was changed that the command did not declare");
  Slot<T>& slot = at->second;
  if (slot.saved) return slot;
  if (slot.has_base) {
    undo_.push_back({&slot, false, slot.now});
  } else {
    slot.base = slot.now;
    slot.has_base = true;
    undo_.push_back({&slot, true, {}});
  }
  slot.saved = true;
  return slot;
}

// Each map of the working set.
template class SlotMap<OrderId, OrderAggregate>;
template class SlotMap<DeliveryId, DeliveryAggregate>;
template class SlotMap<UnknownReceiptId, UnknownReceiptAggregate>;
template class SlotMap<StatementId, StatementAggregate>;
template class SlotMap<DifferenceId, DifferenceAggregate>;
template class SlotMap<AccountId, Account>;
template class SlotMap<TransferId, Transfer>;
template class SlotMap<HoldId, Hold>;
template class SlotMap<PriceId, Price>;
template class SlotMap<AdjustmentId, Adjustment>;
template class SlotMap<MerchantId, Merchant>;
template class SlotMap<ApiKeyId, ApiKey>;
template class SlotMap<ChannelAccountId, ChannelAccount>;
template class SlotMap<ChannelRateId, ChannelRate>;
template class SlotMap<IdentityCheckId, IdentityCheck>;
template class SlotMap<MerchantId, std::vector<WebhookEndpoint>>;
template class SlotMap<MerchantId, std::vector<Fee>>;
template class SlotMap<std::int64_t, StatementMatch>;
template class SlotMap<std::int64_t, FundsMatch>;
template class SlotMap<Hash16, Key, Hash16Hasher>;
template class SlotMap<Hash16, IdempotencyRecord, Hash16Hasher>;
template class SlotMap<PaymentId, OrderId>;

void WorkingSet::accept() {
  for_each_map(*this, [this](auto& map) { changed_ = map.accept() || changed_; });
  changed_ = changed_ || restored_orders.size() > restored_accepted_;
  events_accepted_ = events.size();
  entries_accepted_ = entries.size();
  parts_accepted_ = statement_parts.size();
  restored_accepted_ = restored_orders.size();
}

void WorkingSet::roll_back() {
  for_each_map(*this, [](auto& map) { map.roll_back(); });
  events.resize(events_accepted_);
  entries.resize(entries_accepted_);
  statement_parts.resize(parts_accepted_);
  restored_orders.resize(restored_accepted_);
}

bool WorkingSet::any_recalled() const {
  bool any = false;
  for_each_map(*this, [&any](const auto& map) { any = any || map.any_recalled(); });
  return any;
}

void WorkingSet::clear() {
  for_each_map(*this, [](auto& map) { map.clear(); });
  changed_ = false;
  events.clear();
  entries.clear();
  statement_parts.clear();
  restored_orders.clear();
  events_accepted_ = entries_accepted_ = parts_accepted_ = restored_accepted_ = 0;
}

}  // namespace finality
