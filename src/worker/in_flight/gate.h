// A gate that work passes until it is shut. Answers of the outside come whenever they come; behind the gate they find
// what they need still alive, and after it was shut they do nothing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace finality {

/// Thread safe. Work that is inside may pass again.
class Gate {
 public:
  /// Runs `work`; false, without running it, when the gate is shut.
  template <class Work>
  bool pass(Work&& work) {
    if (!enter()) return false;
    std::forward<Work>(work)();
    leave();
    return true;
  }

  /// Lets nothing more in and waits for what is inside. Not to be called by work inside.
  void shut() {
    std::unique_lock lock(mutex_);
    shut_ = true;
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  bool enter() {
    const std::scoped_lock lock(mutex_);
    if (shut_) return false;
    ++inside_;
    return true;
  }

  void leave() {
    const std::scoped_lock lock(mutex_);
    if (--inside_ == 0) left_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t inside_ = 0;
  bool shut_ = false;
};

}  // namespace finality
