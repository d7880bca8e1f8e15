// A value that several threads use, one at a time.
#pragma once

#include <mutex>
#include <utility>

namespace finality {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  /// A copy, as it is now.
  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  /// What `use` answers, which nobody else interrupts. It must not come back here, nor keep a reference.
  template <class Use>
  auto with(Use use) {
    const std::lock_guard lock(mutex_);
    return use(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace finality
