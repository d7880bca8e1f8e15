#include "worker/in_flight/circuit_breaker.h"

#include <set>

namespace finality {
namespace {

/// Number of failed calls, and the set of trades of these calls.
struct Failures {
  std::size_t count = 0;
  std::set<std::uint64_t> trades;

  void add(std::uint64_t trade) {
    ++count;
    trades.insert(trade);
  }
  bool blame_the_channel() const { return trades.size() >= limits::kBreakerTrades; }
};

}  // namespace

Admission CircuitBreaker::admit(Time now) {
  follow(now);
  if (state_ == BreakerState::closed) return Admission::passes;
  const bool lost = is_forgotten(now);  // no result of the last probe arrived within forgotten_after
  if (!lost && (probe_under_way_ || now - last_step_ < pause_)) return Admission::held;
  step(BreakerEvent::cooled, now);
  probe_under_way_ = true;
  return Admission::probes;
}

void CircuitBreaker::record(Admission admission, bool answered, std::uint64_t trade, Time left, Time now) {
  follow(now);
  if (left < last_step_) return;
  if (admission == Admission::probes && probe_under_way_) {
    probe_under_way_ = false;
    pause_ = answered ? pauses_.first : std::min(2 * pause_, pauses_.max);
    return step(answered ? BreakerEvent::probe_answered : BreakerEvent::probe_failed, now);
  }
  if (state_ != BreakerState::closed) return;  // not a probe: the breaker is open and uses results of probes only
  calls_.push_back({now, trade, answered});
  if (calls_.size() > limits::kBreakerCalls) calls_.pop_front();
  if (answered || !(fails_in_a_row() || fails_too_often(now))) return;
  calls_.clear();
  step(BreakerEvent::tripped, now);
}

bool CircuitBreaker::fails_in_a_row() const {
  Failures row;
  for (auto call = calls_.rbegin(); call != calls_.rend() && !call->answered; ++call) row.add(call->trade);
  return row.count >= limits::kBreakerConsecutiveFailures && row.blame_the_channel();
}

bool CircuitBreaker::fails_too_often(Time now) const {
  Failures failures;
  std::size_t recent = 0;
  for (const Call& call : calls_) {
    if (now - call.at > limits::kBreakerWindow) continue;
    ++recent;
    if (!call.answered) failures.add(call.trade);
  }
  return recent >= limits::kBreakerCallsMin && failures.count * 100 >= recent * limits::kBreakerFailurePercent &&
         failures.blame_the_channel();
}

void CircuitBreaker::step(BreakerEvent event, Time now) {
  state_ = next(state_, event);
  last_step_ = now;
}

}  // namespace finality
