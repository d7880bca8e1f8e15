#include "sandbox/core/coalescing_timer.h"

#include <algorithm>
#include <utility>

namespace finality::sandbox {
namespace {

// Upper bounds of one wait. The timer waits on the steady clock. It therefore checks the wall clock at least once a
// minute, and every 50 ms if the clock is movable (tests).
constexpr Duration kDelayMax{60'000};
constexpr Duration kMovableDelayMax{50};

}  // namespace

CoalescingTimer::CoalescingTimer(net::IoPool& io, std::shared_ptr<const Clock> clock, std::function<void()> ring)
    : io_(io), clock_(std::move(clock)), ring_(std::move(ring)) {}

void CoalescingTimer::set(Time at) {
  {
    const std::lock_guard lock(mutex_);
    if (armed_ && *armed_ <= at) return;
    armed_ = at;
  }
  wait_for(at);
}

void CoalescingTimer::wait_for(Time at) {
  const Duration delay =
      std::clamp(at - clock_->now(), Duration{0}, clock_->is_movable() ? kMovableDelayMax : kDelayMax);
  io_.after(delay, [weak = weak_from_this(), at] {
    if (const auto timer = weak.lock()) timer->timer_ended(at);
  });
}

void CoalescingTimer::timer_ended(Time at) {
  const bool is_time = clock_->now() >= at;
  {
    const std::lock_guard lock(mutex_);
    if (armed_ != at) return;  // set() has replaced this timer by an earlier one
    if (is_time) armed_.reset();
  }
  if (!is_time) return wait_for(at);
  ring_();
}

}  // namespace finality::sandbox
