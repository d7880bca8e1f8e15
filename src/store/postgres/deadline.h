// Deadline on the monotonic clock, for limits on waiting times.
#pragma once

#include <poll.h>
#include <time.h>

#include <algorithm>

#include "base/time/time.h"

namespace finality::postgres {

/// The time of the monotonic clock.
inline Duration monotonic_now() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec));
}

class Deadline {
 public:
  explicit Deadline(Duration in) : end_(monotonic_now() + in) {}
  /// The time until the deadline; 0 after the deadline.
  Duration left() const { return std::max(Duration(0), end_ - monotonic_now()); }
  bool over() const { return left() == Duration(0); }

 private:
  Duration end_;
};

inline void pause_for(Duration time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

}  // namespace finality::postgres
