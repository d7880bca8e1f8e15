#include "worker/under_way.h"

#include <algorithm>
#include <utility>

namespace finality {

static_assert(limits::kDeliveriesUnderWayMin < limits::kDeliveriesUnderWayMax &&
              limits::kDeliveriesUnderWayMax < limits::kEffectsUnderWayMax);

EffectKind kind_of(const Effect& effect) {
  return std::holds_alternative<Deliver>(effect) ? EffectKind::delivery : EffectKind::channel_call;
}

std::shared_ptr<UnderWay> UnderWay::create() { return std::shared_ptr<UnderWay>(new UnderWay); }

Ticket UnderWay::admit(EffectKind kind) {
  const std::scoped_lock lock(mutex_);
  return closed_ ? nullptr : admit_locked(kind);
}

bool UnderWay::admit_or_wait(EffectKind kind, Start start) {
  Ticket ticket;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    ticket = admit_locked(kind);
    if (!ticket) {
      Line& line = line_of(kind);
      if (line.size() >= limits::kEffectsWaitingMax) return false;
      line.push_back(std::move(start));
      return true;
    }
  }
  start(std::move(ticket));
  return true;
}

Ticket UnderWay::admit_locked(EffectKind kind) {
  if (room_locked(kind) == 0) return nullptr;
  ++count_;
  if (kind == EffectKind::delivery) ++deliveries_;
  // The pointer only has to differ from null; the deleter is what counts.
  return Ticket(static_cast<void*>(this), [self = shared_from_this(), kind](void*) { self->end(kind); });
}

std::size_t UnderWay::room_for_claims(EffectKind kind) const {
  const std::scoped_lock lock(mutex_);
  if (closed_) return 0;
  return room_locked(kind) + limits::kEffectsWaitingFew - std::min(limits::kEffectsWaitingFew, line_of(kind).size());
}

std::size_t UnderWay::room_locked(EffectKind kind) const {
  const std::size_t room = limits::kEffectsUnderWayMax - count_;
  return kind == EffectKind::delivery ? std::min(room, limits::kDeliveriesUnderWayMax - deliveries_) : room;
}

std::size_t UnderWay::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

// One end makes room for one: a request to a channel before a delivery, as long as these have their share, however many
// requests to channels wait.
void UnderWay::end(EffectKind kind) {
  Start start;
  Ticket ticket;
  {
    const std::scoped_lock lock(mutex_);
    if (kind == EffectKind::delivery) --deliveries_;
    if (--count_ == 0) none_.notify_all();
    const bool few = deliveries_ < limits::kDeliveriesUnderWayMin;
    for (const EffectKind next : {few ? EffectKind::delivery : EffectKind::channel_call,
                                  few ? EffectKind::channel_call : EffectKind::delivery}) {
      Line& line = line_of(next);
      if (line.empty() || !(ticket = admit_locked(next))) continue;
      start = std::move(line.front());
      line.pop_front();
      break;
    }
  }
  if (start) start(std::move(ticket));
}

std::size_t UnderWay::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_[0].size() + waiting_[1].size();
}

std::size_t UnderWay::close() {
  std::array<Line, 2> left;  // goes outside the lock, with what it holds
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  left.swap(waiting_);
  return left[0].size() + left[1].size();
}

bool UnderWay::wait_until_none(Duration at_most) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

}  // namespace finality
