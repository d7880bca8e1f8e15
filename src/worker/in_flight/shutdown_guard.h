// Guard for callbacks that may arrive during shutdown. Inside the guard their dependencies are alive; after close()
// callbacks do nothing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace finality {

/// Thread safe. Work inside the guard may enter it again.
class ShutdownGuard {
 public:
  /// Runs `work` and returns true; after close() returns false without running it. An exception propagates to the
  /// caller, and the work counts as ended.
  template <class Work>
  bool enter(Work&& work) {
    if (!admit()) return false;
    const Inside inside(*this);
    std::forward<Work>(work)();
    return true;
  }

  /// Admits no more work and waits for running work. Must not be called inside the guard.
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  /// Leaves the guard at the end of the scope. REQUIRES: admit() returned true.
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
