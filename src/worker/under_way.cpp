#include "worker/under_way.h"

#include <algorithm>

namespace finality {

EffectKind kind_of(const Effect& effect) {
  return std::holds_alternative<Deliver>(effect) ? EffectKind::delivery : EffectKind::channel_call;
}

std::shared_ptr<UnderWay> UnderWay::create() { return std::shared_ptr<UnderWay>(new UnderWay); }

Ticket UnderWay::admit(EffectKind kind) {
  const std::scoped_lock lock(mutex_);
  if (closed_ || room_locked(kind) == 0) return nullptr;
  ++count_;
  if (kind == EffectKind::delivery) ++deliveries_;
  // The pointer only has to differ from null; the deleter is what counts.
  return Ticket(static_cast<void*>(this), [self = shared_from_this(), kind](void*) { self->end(kind); });
}

std::size_t UnderWay::room(EffectKind kind) const {
  const std::scoped_lock lock(mutex_);
  return closed_ ? 0 : room_locked(kind);
}

std::size_t UnderWay::room_locked(EffectKind kind) const {
  const std::size_t room = kMax - count_;
  return kind == EffectKind::delivery ? std::min(room, kDeliveriesMax - deliveries_) : room;
}

std::size_t UnderWay::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

void UnderWay::end(EffectKind kind) {
  const std::scoped_lock lock(mutex_);
  if (kind == EffectKind::delivery) --deliveries_;
  if (--count_ == 0) none_.notify_all();
}

void UnderWay::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

bool UnderWay::wait_until_none(Duration at_most) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

}  // namespace finality
