// Timer that can be moved to an earlier time and coalesces all calls of set() up to that time into one callback.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/net/io_pool.h"
#include "base/time/time.h"

namespace finality::sandbox {

/// Thread safe. REQUIRES: the IoPool outlives the last call of set().
class CoalescingTimer : public std::enable_shared_from_this<CoalescingTimer> {
 public:
  /// `ring` is called on an I/O thread when the timer expires. It must tolerate calls when no work is due.
  CoalescingTimer(net::IoPool& io, std::shared_ptr<const Clock> clock, std::function<void()> ring);

  /// Requests a call of `ring` at the time `at`, or immediately if `at` has passed. A pending call at an earlier time
  /// serves this request too: that call must schedule the next one.
  void set(Time at);

 private:
  void wait_for(Time at);
  void timer_ended(Time at);

  net::IoPool& io_;
  std::shared_ptr<const Clock> clock_;
  std::function<void()> ring_;
  std::mutex mutex_;
  std::optional<Time> armed_;  // the earliest requested time; guarded by mutex_
};

}  // namespace finality::sandbox
