// The circuit breakers of all channels, and what is counted and logged of them.
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
  /// Those of these channels; there are no others.
  CircuitBreakers(const Channels& channels, const Policy& policy);

  /// Whether a call may leave now. A channel without a breaker lets everything pass.
  Admission admit(std::string_view channel, Time now);
  /// What became of a call that was admitted at `left`. `trade` is the number that it was about.
  void record(std::string_view channel, Admission admission, bool answered, std::string_view trade, Time left,
              Time now);

  /// Whether a payment that could go elsewhere should.
  bool is_down(std::string_view channel, Time now) const;
  BreakerState state(std::string_view channel) const;
  /// Calls that did not leave because the breaker was open.
  std::uint64_t held(std::string_view channel) const;

 private:
  struct Guarded {
    explicit Guarded(BreakerPauses pauses) : breaker(pauses) {}
    mutable std::mutex mutex;
    CircuitBreaker breaker;
    std::atomic<std::uint64_t> held = 0;
  };
  const Guarded* find(std::string_view channel) const;

  std::map<std::string, Guarded, std::less<>> all_;  // never changes after the start
};

}  // namespace finality
