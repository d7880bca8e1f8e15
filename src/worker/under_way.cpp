#include "worker/under_way.h"

#include <algorithm>
#include <utility>

namespace finality {

static_assert(limits::kDeliveriesUnderWayMin < limits::kDeliveriesUnderWayMax &&
              limits::kDeliveriesUnderWayMax < limits::kEffectsUnderWayMax);

EffectKind kind_of(const Effect& effect) {
  return std::holds_alternative<Deliver>(effect) ? EffectKind::delivery : EffectKind::channel_call;
}

MerchantId merchant_of(const Effect& effect) {
  if (const auto* call = std::get_if<ChannelCall>(&effect)) return call->payment.merchant_id;
  if (const auto* call = std::get_if<RefundCall>(&effect)) return call->merchant_id;
  return std::get<Deliver>(effect).delivery.merchant_id;
}

std::shared_ptr<UnderWay> UnderWay::create() { return std::shared_ptr<UnderWay>(new UnderWay); }

Ticket UnderWay::admit(EffectKind kind, MerchantId merchant) {
  const std::scoped_lock lock(mutex_);
  return closed_ ? nullptr : admit_locked(kind, merchant);
}

bool UnderWay::admit_or_wait(EffectKind kind, MerchantId merchant, Start start) {
  Ticket ticket;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    ticket = admit_locked(kind, merchant);
    if (!ticket) return line_up_locked(kind, merchant, std::move(start));
  }
  start(std::move(ticket));
  return true;
}

Ticket UnderWay::admit_locked(EffectKind kind, MerchantId merchant) {
  if (room_locked(kind, merchant) == 0) return nullptr;
  ++count_;
  if (kind == EffectKind::delivery) {
    ++deliveries_;
    ++shares_[merchant].under_way;
  }
  // The pointer only has to differ from null; the deleter is what counts.
  return Ticket(static_cast<void*>(this),
                [self = shared_from_this(), kind, merchant](void*) { self->end(kind, merchant); });
}

bool UnderWay::line_up_locked(EffectKind kind, MerchantId merchant, Start start) {
  const bool delivery = kind == EffectKind::delivery;
  if ((delivery ? deliveries_waiting_ : calls_.size()) >= limits::kEffectsWaitingMax) return false;
  if (!delivery) {
    calls_.push_back(std::move(start));
    return true;
  }
  Line& line = shares_[merchant].line;
  if (line.empty()) turns_.push_back(merchant);
  line.push_back(std::move(start));
  ++deliveries_waiting_;
  return true;
}

std::size_t UnderWay::room_for_claims(EffectKind kind, MerchantId merchant) const {
  const std::scoped_lock lock(mutex_);
  if (closed_) return 0;
  const std::size_t waiting = std::min(limits::kEffectsWaitingFew, waiting_locked(kind, merchant));
  return room_locked(kind, merchant) + limits::kEffectsWaitingFew - waiting;
}

std::size_t UnderWay::room_locked(EffectKind kind, MerchantId merchant) const {
  const std::size_t room = limits::kEffectsUnderWayMax - count_;
  if (kind != EffectKind::delivery) return room;
  const std::size_t free = limits::kDeliveriesUnderWayMax - deliveries_;
  const auto share = shares_.find(merchant);
  const std::size_t mine = share == shares_.end() ? 0 : share->second.under_way;
  return std::min(room, mine < free ? (free - mine + 1) / 2 : 0);  // each one admitted narrows it from both sides
}

std::size_t UnderWay::waiting_locked(EffectKind kind, MerchantId merchant) const {
  if (kind != EffectKind::delivery) return calls_.size();
  const auto share = shares_.find(merchant);
  return share == shares_.end() ? 0 : share->second.line.size();
}

std::size_t UnderWay::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

// One end makes room for one: a request to a channel before a delivery, as long as these have their share, however many
// requests to channels wait.
void UnderWay::end(EffectKind kind, MerchantId merchant) {
  std::pair<Start, Ticket> next;
  {
    const std::scoped_lock lock(mutex_);
    if (kind == EffectKind::delivery) {
      --deliveries_;
      const auto share = shares_.find(merchant);
      if (--share->second.under_way == 0 && share->second.line.empty()) shares_.erase(share);
    }
    if (--count_ == 0) none_.notify_all();
    const bool few = deliveries_ < limits::kDeliveriesUnderWayMin;
    next = few ? next_delivery_locked() : next_call_locked();
    if (!next.second) next = few ? next_call_locked() : next_delivery_locked();
  }
  if (next.second) next.first(std::move(next.second));
}

std::pair<UnderWay::Start, Ticket> UnderWay::next_call_locked() {
  Ticket ticket = calls_.empty() ? nullptr : admit_locked(EffectKind::channel_call, {});
  if (!ticket) return {};
  Start start = std::move(calls_.front());
  calls_.pop_front();
  return {std::move(start), std::move(ticket)};
}

std::pair<UnderWay::Start, Ticket> UnderWay::next_delivery_locked() {
  for (std::size_t i = turns_.size(); i > 0; --i) {
    const MerchantId merchant = turns_.front();
    turns_.pop_front();
    Ticket ticket = admit_locked(EffectKind::delivery, merchant);
    Line& line = shares_.at(merchant).line;
    if (!ticket || line.size() > 1) turns_.push_back(merchant);
    if (!ticket) continue;
    Start start = std::move(line.front());
    line.pop_front();
    --deliveries_waiting_;
    return {std::move(start), std::move(ticket)};
  }
  return {};
}

std::size_t UnderWay::waiting() const {
  const std::scoped_lock lock(mutex_);
  return calls_.size() + deliveries_waiting_;
}

std::size_t UnderWay::close() {
  std::vector<Line> left;  // goes outside the lock, with what it holds
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  const std::size_t waiting = calls_.size() + deliveries_waiting_;
  left.push_back(std::exchange(calls_, {}));
  for (auto& [merchant, share] : shares_) left.push_back(std::exchange(share.line, {}));
  std::erase_if(shares_, [](const auto& entry) { return entry.second.under_way == 0; });
  turns_.clear();
  deliveries_waiting_ = 0;
  return waiting;
}

bool UnderWay::wait_until_none(Duration at_most) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

}  // namespace finality
