// A wake-up call that can be moved to an earlier time. Many wishes become one ring.
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
  /// `ring` runs on an I/O thread and finds due work itself; a call may find none.
  CoalescingTimer(net::IoPool& io, std::shared_ptr<const Clock> clock, std::function<void()> ring);

  /// Rings at `at` at the latest; at once when that has passed. One ring serves all wishes up to then.
  void set(Time at);

 private:
  void wait_for(Time at);
  void timer_ended(Time at);

  net::IoPool& io_;
  std::shared_ptr<const Clock> clock_;
  std::function<void()> ring_;
  std::mutex mutex_;
  std::optional<Time> armed_;  // the earliest wish; guarded by mutex_
};

}  // namespace finality::sandbox
