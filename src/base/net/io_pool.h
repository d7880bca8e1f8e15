// The threads that do I/O, and timers on them. Hides the event loop: users need no networking header.
//
// A task must not throw: nobody is left to tell, so the process ends. Servers and clients that use a pool are
// destroyed before it.
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
  /// Starts `threads` threads at once.
  explicit IoPool(std::size_t threads);
  /// Stops and joins; handlers that have not run are dropped. Not to be called on one of its own threads.
  ~IoPool();
  IoPool(const IoPool&) = delete;
  IoPool& operator=(const IoPool&) = delete;

  /// Runs `task` on an I/O thread. Thread safe.
  void post(std::function<void()> task);
  /// Runs `task` on an I/O thread after `delay`, by the steady clock. Thread safe. It cannot be cancelled: what may
  /// have lost its meaning by then checks for itself.
  void after(Duration delay, std::function<void()> task);
  /// Calls `task` on an I/O thread when the process gets SIGTERM or SIGINT, once per signal.
  void on_stop_signal(std::function<void()> task);
  /// Calls `task` on an I/O thread when the process gets SIGHUP, once per signal.
  void on_reload_signal(std::function<void()> task);
  /// Lets the threads end after the task each is in. Returns at once; thread safe.
  void stop();

  std::size_t threads() const;
  boost::asio::io_context& context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace finality::net
