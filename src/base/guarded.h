// A value that several threads can use, protected by a mutex.
#pragma once

#include <mutex>
#include <utility>

namespace finality {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  /// Returns a copy of the current value.
  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  /// Calls `use` with the value while the mutex is held, and returns its result. `use` must not call this object
  /// and must not keep a reference to the value.
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
