// Thread of a background service of the server: repeats rounds of work, with pauses, until it is stopped.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/thread_name.h"
#include "base/time/time.h"

namespace finality {

class ServiceThread {
 public:
  ServiceThread() = default;
  /// Calls stop().
  ~ServiceThread();
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;

  /// Starts the thread `name`. It calls `work` again at once while `work` returns true, otherwise after `pause` or
  /// wake().
  template <std::size_t kSize>
  void start(const char (&name)[kSize], std::function<bool()> work, Duration pause) {
    thread_ = std::jthread([this, &name, work = std::move(work), pause] {
      name_thread(name);
      run(work, pause);
    });
  }
  /// Ends the pause between two calls of `work`; if none is in progress, the next one. Thread safe.
  void wake();
  /// Ends the thread after the current command or request. A second call does nothing.
  void stop();

  /// Waits for `pause`, or until stop(): wake() does not end it. Returns whether the thread stops.
  bool sleep(Duration pause);
  bool is_stopping() const { return stop_.stop_requested(); }
  /// Requests a stop when stop() is called: for work that cannot call is_stopping().
  std::stop_token stop_token() const { return stop_.get_token(); }

 private:
  void run(const std::function<bool()>& work, Duration pause);
  bool rest(Duration pause);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::stop_source stop_;  // requested under `mutex_`, so that no waiter misses it
  bool is_woken_ = false;
  std::jthread thread_;
};

}  // namespace finality
