// Decides which readings of a wall clock are believed, by comparison with a monotonic clock. Pure: reads no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time/time.h"

namespace finality {

/// Readings of both clocks of a machine at the same moment.
struct ClockReading {
  Time wall;
  Duration steady{0};  // since an arbitrary instant; never decreases
};

/// `none`: the wall clock is believed, or a known jump continues. `jumped`: a jump begins and is not believed yet.
/// `returned`: the jump has ended before it was believed. `followed`: the jump is believed from now on.
enum class ClockEvent : std::uint8_t { none, jumped, returned, followed };

/// A difference of at most limits::kClockStepMax between the progress of both clocks is believed at once. A larger
/// difference is a jump. A jump is believed after it has lasted for limits::kClockJumpLasts: a spike has no effect, and
/// a correction of the clock is followed. Until then the time advances with the monotonic clock.
///
/// The first reading is believed, because nothing contradicts it. If the clock jumps back before
/// limits::kClockJumpLasts have passed since then, neither time is confirmed. The earlier one is then believed at once:
/// work that is done late is harmless, an order that expires early is not.
///
/// Not thread safe.
class JumpFilter {
 public:
  struct Believed {
    Time now;
    ClockEvent event = ClockEvent::none;
    Duration by{0};  // of a jump: the wall clock minus the time that was believed before
  };

  /// REQUIRES: `reading.steady` is not less than in the previous call.
  Believed read(ClockReading reading);
  /// Whether a jump is in progress that is not believed yet.
  bool is_suspicious() const { return jump_.has_value(); }

 private:
  struct Jump {
    Duration offset;  // of the last reading
    Duration since;   // monotonic time of the first reading
  };

  std::optional<Duration> offset_;  // wall clock minus monotonic clock, as believed; empty before the first reading
  Duration believed_since_{0};      // monotonic time since which no jump was followed
  std::optional<Jump> jump_;
};

}  // namespace finality
