// Thread of a background service of the server: repeats rounds of work, with pauses, until it is stopped.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
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
  bool is_stopping() { return sleep(Duration{0}); }

 private:
  void run(const std::function<bool()>& work, Duration pause);
  bool rest(Duration pause);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  bool is_woken_ = false;
  std::jthread thread_;
};

}  // namespace finality
