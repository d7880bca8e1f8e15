// The circuit breakers of all channels. Counts calls that were not admitted, and logs changes of state.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "channel/channel.h"
#include "worker/in_flight/circuit_breaker.h"

namespace finality {

/// One circuit breaker per channel (circuit_breaker.h). Thread safe.
class CircuitBreakers {
 public:
  /// Creates a closed breaker for each channel. `policy` scales the pauses.
  CircuitBreakers(const Channels& channels, const Policy& policy);

  /// Returns whether a call to the channel may be sent now. Returns `passes` for a channel without a breaker.
  Admission admit(std::string_view channel, Time now);
  /// Records the result of a call. `left` is the time at which the call was admitted; `trade` is its out_trade_no or
  /// out_refund_no. REQUIRES: `admission` is the result of admit() for this call, and is not `held`.
  void record(std::string_view channel, Admission admission, bool answered, std::string_view trade, Time left,
              Time now);

  /// Returns whether new payments should use another channel if possible. False for a channel without a breaker.
  bool is_down(std::string_view channel, Time now) const;
  BreakerState state(std::string_view channel) const;
  /// Returns the number of calls that were not admitted since the server started.
  std::uint64_t held(std::string_view channel) const;

 private:
  struct Guarded {
    explicit Guarded(BreakerPauses pauses) : breaker(pauses) {}
    mutable std::mutex mutex;
    CircuitBreaker breaker;
    std::atomic<std::uint64_t> held = 0;
  };
  const Guarded* find(std::string_view channel) const;

  std::map<std::string, Guarded, std::less<>> all_;  // the set of channels is constant after construction
};

}  // namespace finality
