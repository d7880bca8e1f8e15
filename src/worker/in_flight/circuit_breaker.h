// Circuit breaker of one channel: stops calls to a channel that does not respond, then tests the channel with single
// probes. Not thread safe. The caller passes the current time.
//
// The breaker opens after limits::kBreakerConsecutiveFailures consecutive failures, or if at least
// limits::kBreakerFailurePercent of the calls within limits::kBreakerWindow have failed. In both cases the failures
// must belong to at least limits::kBreakerTrades trades: calls for a single trade can fail on a healthy channel.
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

/// Returns the state of the breaker after `event`.
constexpr BreakerState next(BreakerState state, BreakerEvent event) {
  using enum BreakerState;
  constexpr BreakerState kNext[][kCount<BreakerState>] = {
      // next state from closed, open, half_open
      {open, open, half_open},         // after tripped: too many calls failed
      {closed, half_open, half_open},  // after cooled: the pause is over, and a call is requested
      {closed, open, closed},          // after probe_answered: the channel responded to a probe
      {closed, open, open},            // after probe_failed: the channel did not respond to a probe
  };
  static_assert(std::size(kNext) == kCount<BreakerEvent>);
  return kNext[static_cast<std::size_t>(event)][static_cast<std::size_t>(state)];
}

/// Result of admit(). `held`: the call must not be sent. `passes`: the call may be sent. `probes`: the call may be
/// sent, and its result determines whether the breaker closes.
enum class Admission : std::uint8_t { held, passes, probes };

struct BreakerPauses {
  Duration first = limits::kBreakerPauseFirst;
  Duration max = limits::kBreakerPauseMax;
  Duration forgotten_after = limits::kBreakerForgottenAfter;
};

class CircuitBreaker {
 public:
  explicit CircuitBreaker(BreakerPauses pauses = {}) : pauses_(pauses), pause_(pauses.first) {}

  /// Returns whether a call may be sent now. An open breaker admits one probe after each pause.
  Admission admit(Time now);

  /// Records the result of a call. `left` is the time at which the call was admitted, and `trade` identifies its trade.
  /// Ignores calls admitted before the last change of state, so that late timeouts do not reopen the breaker of a
  /// recovered channel. REQUIRES: `admission` is the result of admit() for this call, and is not `held`.
  void record(Admission admission, bool answered, std::uint64_t trade, Time left, Time now);

  /// Returns whether new payments should use another channel if possible. False again if the state has not changed for
  /// BreakerPauses::forgotten_after, because the channel may have recovered.
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
  /// Sets last_step_ to `now` if the clock was set back. Otherwise the breaker would remain open until the clock
  /// reaches the old value of last_step_ again.
  void follow(Time now) { last_step_ = std::min(last_step_, now); }

  BreakerPauses pauses_;
  BreakerState state_ = BreakerState::closed;
  std::deque<Call> calls_;  // last limits::kBreakerCalls calls in state closed, oldest first
  Duration pause_;          // pause before the next probe
  Time last_step_;          // time of the last event; never in the future
  bool probe_under_way_ = false;
};

}  // namespace finality
