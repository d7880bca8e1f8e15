// The circuit breakers of all channels, with their metrics and log messages.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "channel/channel.h"
#include "worker/in_flight/circuit_breaker.h"

namespace finality {

/// Thread safe.
class CircuitBreakers {
 public:
  /// Creates one breaker per channel.
  CircuitBreakers(const Channels& channels, const Policy& policy);

  /// Returns whether a call may be sent now. Calls to a channel without a breaker always pass.
  Admission admit(std::string_view channel, Time now);
  /// Records the result of a call that was admitted at time `left`. `trade` is the out_trade_no or out_refund_no of the
  /// call.
  void record(std::string_view channel, Admission admission, bool answered, std::string_view trade, Time left,
              Time now);

  /// True if payments should use another channel where possible.
  bool is_down(std::string_view channel, Time now) const;
  BreakerState state(std::string_view channel) const;
  /// Number of calls that the open breaker held back.
  std::uint64_t held(std::string_view channel) const;

 private:
  struct Guarded {
    explicit Guarded(BreakerPauses pauses) : breaker(pauses) {}
    mutable std::mutex mutex;
    CircuitBreaker breaker;
    std::atomic<std::uint64_t> held = 0;
  };
  const Guarded* find(std::string_view channel) const;

  std::map<std::string, Guarded, std::less<>> all_;  // constant after construction
};

}  // namespace finality
