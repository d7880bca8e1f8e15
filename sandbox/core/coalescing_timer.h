// One-shot timer that coalesces requests: all calls of set() before it expires result in one callback, at the earliest
// requested time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/net/io_pool.h"
#include "base/time/time.h"

namespace finality::sandbox {

/// set() is thread safe. REQUIRES: the IoPool outlives the last call of set().
class CoalescingTimer : public std::enable_shared_from_this<CoalescingTimer> {
 public:
  /// Calls `ring` on an I/O thread when the timer expires. `ring` must tolerate calls when no work is due.
  CoalescingTimer(net::IoPool& io, std::shared_ptr<const Clock> clock, std::function<void()> ring);

  /// Requests a call of `ring` at the time `at`, or immediately if `at` has passed. If a call is already pending for an
  /// earlier time, only that call is made; `ring` must then call set() for the remaining work.
  void set(Time at);

 private:
  void wait_for(Time at);
  void timer_ended(Time at);

  net::IoPool& io_;
  std::shared_ptr<const Clock> clock_;
  std::function<void()> ring_;
  std::mutex mutex_;
  std::optional<Time> armed_;  // time of the pending call; guarded by mutex_
};

}  // namespace finality::sandbox
