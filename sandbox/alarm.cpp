#include "sandbox/alarm.h"

#include <algorithm>
#include <utility>

namespace finality::sandbox {
namespace {

// Timers run by the steady clock; looking again now and then keeps up with a wall clock that is set.
constexpr Duration kDelayMax{60'000};

}  // namespace

Alarm::Alarm(net::IoPool& io, std::function<void()> ring) : io_(io), ring_(std::move(ring)) {}

void Alarm::set(Time at) {
  {
    const std::lock_guard lock(mutex_);
    if (armed_ && *armed_ <= at) return;
    armed_ = at;
  }
  const Duration delay = std::clamp(at - SystemClock().now(), Duration{0}, kDelayMax);
  io_.after(delay, [weak = weak_from_this(), at] {
    if (const auto alarm = weak.lock()) alarm->timer_ended(at);
  });
}

void Alarm::timer_ended(Time at) {
  {
    const std::lock_guard lock(mutex_);
    if (armed_ != at) return;  // an earlier wish took its place and has rung
    armed_.reset();
  }
  ring_();
}

}  // namespace finality::sandbox
