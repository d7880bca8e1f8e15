// For tests: a clock that changes only when the test sets or advances it.
#pragma once

#include <atomic>

#include "base/time/time.h"

namespace finality {

/// Starts at the instant `start`. Thread safe.
class TestClock final : public Clock {
 public:
  explicit TestClock(Time start) : ms_(start.ms) {}

  Time now() const override { return {ms_.load()}; }
  bool is_movable() const override { return true; }
  void set(Time now) { ms_ = now.ms; }
  void advance(Duration by) { ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> ms_;
};

}  // namespace finality
