#include "worker/in_flight/in_flight_effects.h"

#include <algorithm>
#include <utility>

namespace finality {

SlotKey slot_key_of(const Effect& effect) {
  if (const auto* call = std::get_if<ChannelCall>(&effect))
    return {EffectKind::channel_call, call->payment.channel_account_id, call->payment.merchant_id};
  if (const auto* call = std::get_if<RefundCall>(&effect))
    return {EffectKind::channel_call, call->channel_account_id, call->merchant_id};
  if (const auto* call = std::get_if<AuthorizationCall>(&effect))
    return {EffectKind::channel_call, call->authorization.channel_account_id, call->authorization.merchant_id};
  if (const auto* call = std::get_if<CaptureCall>(&effect))
    return {EffectKind::channel_call, call->capture.channel_account_id, call->capture.merchant_id};
  return {EffectKind::delivery, {}, std::get<DeliveryAttempt>(effect).delivery.merchant_id};
}

std::shared_ptr<InFlightEffects> InFlightEffects::create() {
  return std::shared_ptr<InFlightEffects>(new InFlightEffects);
}

Permit InFlightEffects::admit(const SlotKey& key) {
  const std::scoped_lock lock(mutex_);
  return closed_ ? nullptr : admit_locked(key);
}

bool InFlightEffects::admit_or_wait(const SlotKey& key, Start start) {
  Permit permit;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    permit = admit_locked(key);
    if (!permit) return pool_of(key.kind).line_up(SlotPath(key).members(), {key, std::move(start)});
  }
  start(std::move(permit));
  return true;
}

Permit InFlightEffects::admit_locked(const SlotKey& key) {
  const SlotPath path(key);
  EffectSlots& pool = pool_of(key.kind);
  if (pool.room(path.members()) == 0) return nullptr;
  pool.acquire(path.members());
  return permit_of(key);
}

// Returns a permit whose deleter releases the slot. The pointer itself is not used, but must not be null.
Permit InFlightEffects::permit_of(const SlotKey& key) {
  return Permit(static_cast<void*>(this), [self = shared_from_this(), key](void*) { self->end(key); });
}

void InFlightEffects::count_dropped(const SlotKey& key) {
  if (key.kind == EffectKind::delivery) return;
  const std::scoped_lock lock(mutex_);
  Account& account = accounts_[key.account];
  ++account.dropped;
  account.line_is_slow = true;
}

std::size_t InFlightEffects::room_for_claims(const SlotKey& key) const {
  const std::scoped_lock lock(mutex_);
  if (closed_) return 0;
  const SlotPath path(key);
  const EffectSlots& pool = pool_of(key.kind);
  const std::size_t room = pool.room(path.members());
  const auto account = accounts_.find(key.account);
  if (key.kind == EffectKind::channel_call && account != accounts_.end() && account->second.line_is_slow) return room;
  return room + limits::kEffectQueueLowWater - std::min(limits::kEffectQueueLowWater, pool.use(path.members()).waiting);
}

// Releases a slot and starts queued effects. Several effects can start, because a free slot increases the share of each
// member.
void InFlightEffects::end(const SlotKey& key) {
  std::vector<std::pair<Start, Permit>> started;
  {
    const std::scoped_lock lock(mutex_);
    EffectSlots& pool = pool_of(key.kind);
    pool.release(SlotPath(key).members());
    if (count_locked() == 0) none_.notify_all();
    while (auto next = pool.next()) {
      if (key.kind == EffectKind::channel_call) accounts_[next->key.account].line_is_slow = false;
      started.emplace_back(std::move(next->start), permit_of(next->key));
    }
  }
  for (auto& [start, permit] : started) start(std::move(permit));
}

std::size_t InFlightEffects::count_locked() const { return calls_.use({}).in_flight + deliveries_.use({}).in_flight; }

std::size_t InFlightEffects::waiting_locked() const { return calls_.use({}).waiting + deliveries_.use({}).waiting; }

std::size_t InFlightEffects::count() const {
  const std::scoped_lock lock(mutex_);
  return count_locked();
}

std::size_t InFlightEffects::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_locked();
}

ChannelUse InFlightEffects::use_of(ChannelAccountId account) const {
  const std::scoped_lock lock(mutex_);
  const std::array<std::int64_t, 1> members{account.value};
  const auto use = calls_.use(members);
  const auto known = accounts_.find(account);
  return {use.in_flight, use.waiting, known == accounts_.end() ? 0 : known->second.dropped};
}

std::size_t InFlightEffects::close() {
  std::vector<Waiting> left;  // declared before the lock, so that the callbacks are destroyed without it
  std::vector<Waiting> left_deliveries;
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  left = calls_.clear_line();
  left_deliveries = deliveries_.clear_line();
  return left.size() + left_deliveries.size();
}

bool InFlightEffects::wait_until_none(Duration at_most) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, at_most, [this] { return count_locked() == 0; });
}

}  // namespace finality
