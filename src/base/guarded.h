// Value protected by a mutex, for use by several threads.
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
  /// Returns the result of `use`, which runs with the mutex held. `use` must not call this object or keep a reference.
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
