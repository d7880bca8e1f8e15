// A channel's circuit breaker: a channel that does not answer is left alone for a while, then tried with single probes.
// Pure: the time is handed in, nothing is locked.
//
// It opens after limits::kBreakerConsecutiveFailures failures in a row, or once limits::kBreakerFailurePercent of the
// calls of the last limits::kBreakerWindow have failed; in either case only when they were about several trades, since
// one trade that a channel cannot answer for does not make it a dead channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "base/described.h"
#include "base/limits.h"
#include "base/time/time.h"

namespace finality {

enum class BreakerState : std::uint8_t { closed, open, half_open };
BOOST_DESCRIBE_ENUM(BreakerState, closed, open, half_open)

enum class BreakerEvent : std::uint8_t { tripped, cooled, probe_answered, probe_failed };
BOOST_DESCRIBE_ENUM(BreakerEvent, tripped, cooled, probe_answered, probe_failed)

/// The machine: what a breaker in that state becomes.
constexpr BreakerState next(BreakerState state, BreakerEvent event) {
  using enum BreakerState;
  constexpr BreakerState kNext[][kCount<BreakerState>] = {
      // closed  open       half_open
      {open, open, half_open},         // tripped
      {closed, half_open, half_open},  // cooled: its pause is over, and somebody wants to call
      {closed, open, closed},          // probe_answered
      {closed, open, open},            // probe_failed
  };
  static_assert(std::size(kNext) == kCount<BreakerEvent>);
  return kNext[static_cast<std::size_t>(event)][static_cast<std::size_t>(state)];
}

/// What a breaker says to a call.
enum class Admission : std::uint8_t { held, passes, probes };

struct BreakerPauses {
  Duration first = limits::kBreakerPauseFirst;
  Duration max = limits::kBreakerPauseMax;
  Duration forgotten_after = limits::kBreakerForgottenAfter;
};

class CircuitBreaker {
 public:
  explicit CircuitBreaker(BreakerPauses pauses = {}) : pauses_(pauses), pause_(pauses.first) {}

  /// Whether a call may leave now. While the breaker is open one probe at a time may, once its pause is over.
  Admission admit(Time now);

  /// What became of a call that was admitted at `left`; `trade` tells the trades apart. It tells nothing once the
  /// breaker has changed since: the answers of a channel that has come back are not outweighed by timeouts from before.
  /// REQUIRES: `admission` is what admit() said to it, and that was not `held`.
  void record(Admission admission, bool answered, std::uint64_t trade, Time left, Time now);

  /// Whether a payment that could go elsewhere should. False too when nothing has been heard for so long that it is
  /// worth a try.
  bool is_down(Time now) const { return state_ != BreakerState::closed && !is_forgotten(now); }
  BreakerState state() const { return state_; }

 private:
  struct Call {
    Time at;
    std::uint64_t trade;
    bool answered;
  };

  bool is_forgotten(Time now) const { return now - last_step_ >= pauses_.forgotten_after; }
  bool fails_in_a_row() const;
  bool fails_too_often(Time now) const;
  void step(BreakerEvent event, Time now);
  /// A clock that is set back must not keep it shut until it is as late again.
  void follow(Time now) { last_step_ = std::min(last_step_, now); }

  BreakerPauses pauses_;
  BreakerState state_ = BreakerState::closed;
  std::deque<Call> calls_;  // while closed: the last limits::kBreakerCalls, oldest first
  Duration pause_;          // until the next probe
  Time last_step_;          // when it opened, or a probe left or came back; never in the future
  bool probe_under_way_ = false;
};

}  // namespace finality
