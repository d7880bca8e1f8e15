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
  /// `ring` runs on an I/O thread and looks for due work; it may find none.
  CoalescingTimer(net::IoPool& io, std::shared_ptr<const Clock> clock, std::function<void()> ring);

  /// Calls `ring` at `at` at the latest, or immediately if `at` has passed. One call serves all requests up to then.
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
