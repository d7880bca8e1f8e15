// A channel's circuit breaker: stops calls to a channel that does not respond, then tests it with single probes. Pure:
// the caller passes the time, and nothing is locked.
//
// It opens after limits::kBreakerConsecutiveFailures consecutive failures, or once limits::kBreakerFailurePercent of
// the calls within limits::kBreakerWindow have failed. In both cases the failures must concern several trades, because
// a single trade can fail on a healthy channel.
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

/// The state machine: the state after an event in a state.
constexpr BreakerState next(BreakerState state, BreakerEvent event) {
  using enum BreakerState;
  constexpr BreakerState kNext[][kCount<BreakerState>] = {
      // closed  open       half_open
      {open, open, half_open},         // tripped
      {closed, half_open, half_open},  // cooled: the pause is over and a call is requested
      {closed, open, closed},          // probe_answered
      {closed, open, open},            // probe_failed
  };
  static_assert(std::size(kNext) == kCount<BreakerEvent>);
  return kNext[static_cast<std::size_t>(event)][static_cast<std::size_t>(state)];
}

/// Result of admit(): the call is held back, passes, or is sent as a probe.
enum class Admission : std::uint8_t { held, passes, probes };

struct BreakerPauses {
  Duration first = limits::kBreakerPauseFirst;
  Duration max = limits::kBreakerPauseMax;
  Duration forgotten_after = limits::kBreakerForgottenAfter;
};

class CircuitBreaker {
 public:
  explicit CircuitBreaker(BreakerPauses pauses = {}) : pauses_(pauses), pause_(pauses.first) {}

  /// Returns whether a call may be sent now. While the breaker is open, it admits one probe at a time after each pause.
  Admission admit(Time now);

  /// Records the result of a call that was admitted at time `left`; `trade` identifies the trade. Ignores the call if
  /// the breaker has changed state since, so that old timeouts do not outweigh the responses of a recovered channel.
  /// REQUIRES: `admission` is the result of admit() for this call, and is not `held`.
  void record(Admission admission, bool answered, std::uint64_t trade, Time left, Time now);

  /// True if payments should use another channel where possible. Returns to false if there was no result for so long
  /// that another try is reasonable.
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
  /// Lowers last_step_ to `now` if the clock was set back. Otherwise the breaker would stay open until the clock
  /// reaches the old last_step_ again.
  void follow(Time now) { last_step_ = std::min(last_step_, now); }

  BreakerPauses pauses_;
  BreakerState state_ = BreakerState::closed;
  std::deque<Call> calls_;  // while closed: the last limits::kBreakerCalls calls, oldest first
  Duration pause_;          // until the next probe
  Time last_step_;          // last opening, or last start or end of a probe; never in the future
  bool probe_under_way_ = false;
};

}  // namespace finality
