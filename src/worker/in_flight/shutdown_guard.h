// Guard for callbacks that may arrive during or after shutdown. The owner calls close() before it destroys the
// dependencies of the callbacks. Work inside the guard can use the dependencies; after close() no more work runs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace finality {

/// Runs work until close(). Thread safe. Several threads can run work at the same time, and work may enter the guard
/// again.
class ShutdownGuard {
 public:
  /// Runs `work` and returns true. After close(), returns false without running `work`. Exceptions from `work`
  /// propagate to the caller after the guard was left.
  template <class Work>
  bool enter(Work&& work) {
    if (!admit()) return false;
    const Inside inside(*this);
    std::forward<Work>(work)();
    return true;
  }

  /// Admits no more work and waits until running work has ended. Must not be called inside the guard (deadlock).
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  /// Calls release() at the end of the scope. REQUIRES: admit() returned true.
  class Inside {
   public:
    explicit Inside(ShutdownGuard& guard) : guard_(guard) {}
    ~Inside() { guard_.release(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    ShutdownGuard& guard_;
  };

  bool admit() {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    ++inside_;
    return true;
  }

  void release() {
    const std::scoped_lock lock(mutex_);
    if (--inside_ == 0) left_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t inside_ = 0;
  bool closed_ = false;
};

}  // namespace finality
