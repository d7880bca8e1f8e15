#include "worker/in_flight/circuit_breakers.h"
#include "base/log.h"

#include <functional>

namespace finality {
namespace {

void log_change(std::string_view channel, BreakerState before, BreakerState after) {
  if (before == after) return;
  if (after == BreakerState::closed) return log::info("circuit breaker closed", {{"channel", channel}});
  if (before == BreakerState::closed)
    return log::warn("circuit breaker opened: the channel does not respond", {{"channel", channel}});
  log::debug("circuit breaker state changed", {{"channel", channel}, {"state", name_of(after)}});
}

}  // namespace

CircuitBreakers::CircuitBreakers(const Channels& channels, const Policy& policy) {
  const BreakerPauses pauses{policy.scaled(limits::kBreakerPauseFirst), policy.scaled(limits::kBreakerPauseMax),
                             policy.scaled(limits::kBreakerForgottenAfter)};
  for (const auto& channel : channels) all_.try_emplace(channel->name(), pauses);
}

const CircuitBreakers::Guarded* CircuitBreakers::find(std::string_view channel) const {
  const auto at = all_.find(channel);
  return at == all_.end() ? nullptr : &at->second;
}

Admission CircuitBreakers::admit(std::string_view channel, Time now) {
  const auto at = all_.find(channel);
  if (at == all_.end()) return Admission::passes;
  Guarded& guarded = at->second;
  const std::scoped_lock lock(guarded.mutex);
  const BreakerState before = guarded.breaker.state();
  const Admission admission = guarded.breaker.admit(now);
  log_change(channel, before, guarded.breaker.state());
  if (admission == Admission::held) ++guarded.held;
  return admission;
}

void CircuitBreakers::record(std::string_view channel, Admission admission, bool answered, std::string_view trade,
                             Time left, Time now) {
  const auto at = all_.find(channel);
  if (at == all_.end()) return;
  Guarded& guarded = at->second;
  const std::scoped_lock lock(guarded.mutex);
  const BreakerState before = guarded.breaker.state();
  guarded.breaker.record(admission, answered, std::hash<std::string_view>{}(trade), left, now);
  log_change(channel, before, guarded.breaker.state());
}

bool CircuitBreakers::is_down(std::string_view channel, Time now) const {
  const Guarded* guarded = find(channel);
  if (guarded == nullptr) return false;
  const std::scoped_lock lock(guarded->mutex);
  return guarded->breaker.is_down(now);
}

BreakerState CircuitBreakers::state(std::string_view channel) const {
  const Guarded* guarded = find(channel);
  if (guarded == nullptr) return BreakerState::closed;
  const std::scoped_lock lock(guarded->mutex);
  return guarded->breaker.state();
}

std::uint64_t CircuitBreakers::held(std::string_view channel) const {
  const Guarded* guarded = find(channel);
  return guarded == nullptr ? 0 : guarded->held.load();
}

}  // namespace finality
