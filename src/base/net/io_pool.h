// Pool of I/O threads with timers. Hides the event loop, so its users need no networking header.
//
// Tasks must not throw: an exception ends the process, because a task has no caller that could handle it. Servers and
// clients that use a pool must be destroyed before the pool.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/time/time.h"

namespace boost::asio {
class io_context;
}

namespace finality::net {

class IoPool {
 public:
  /// Starts `threads` threads.
  explicit IoPool(std::size_t threads);
  /// Stops and joins the threads; drops tasks that have not run. Must not be called on one of the pool's threads.
  ~IoPool();
  IoPool(const IoPool&) = delete;
  IoPool& operator=(const IoPool&) = delete;

  /// Runs `task` on an I/O thread, without waiting for it. Thread safe.
  void post(std::function<void()> task);
  /// Runs `task` on an I/O thread after `delay` on the steady clock. Thread safe. A task cannot be cancelled; it must
  /// check whether it is still needed.
  void after(Duration delay, std::function<void()> task);
  /// Calls `task` on an I/O thread when the process receives SIGTERM or SIGINT, once per signal.
  void on_stop_signal(std::function<void()> task);
  /// Calls `task` on an I/O thread when the process receives SIGHUP, once per signal.
  void on_reload_signal(std::function<void()> task);
  /// Makes each thread end after its current task. Returns immediately. Thread safe.
  void stop();

  std::size_t threads() const;
  boost::asio::io_context& context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace finality::net
