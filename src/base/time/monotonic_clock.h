// The time since the machine started, for durations.
#pragma once

#include "base/time/checked_clock.h"
#include "base/time/time.h"

namespace finality {

/// Only differences of its instants have a meaning. It advances while the machine sleeps, and changes of the wall clock
/// do not affect it.
class MonotonicClock final : public Clock {
 public:
  Time now() const override { return {read_machine_clocks().steady.count()}; }
};

}  // namespace finality
