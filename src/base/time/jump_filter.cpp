#include "base/time/jump_filter.h"

#include <chrono>

#include "base/limits.h"

namespace finality {
namespace {

bool is_near(Duration one, Duration other) { return std::chrono::abs(one - other) <= limits::kClockStepMax; }

}  // namespace

JumpFilter::Believed JumpFilter::read(ClockReading reading) {
  const Duration offset = Duration{reading.wall.ms} - reading.steady;
  if (!offset_) {
    offset_ = offset;
    believed_since_ = reading.steady;
    return {reading.wall};
  }
  const Duration by = offset - *offset_;
  if (is_near(offset, *offset_)) {
    offset_ = offset;
    const bool had_jumped = jump_.has_value();
    jump_.reset();
    return {reading.wall, had_jumped ? ClockEvent::returned : ClockEvent::none};
  }
  const bool is_new = !jump_ || !is_near(offset, jump_->offset);
  jump_ = Jump{offset, is_new ? reading.steady : jump_->since};
  const bool is_unconfirmed = reading.steady - believed_since_ < limits::kClockJumpLasts;
  const bool is_earlier = is_unconfirmed && by < Duration{0};
  if (!is_earlier && reading.steady - jump_->since < limits::kClockJumpLasts)
    return {Time{(reading.steady + *offset_).count()}, is_new ? ClockEvent::jumped : ClockEvent::none, by};
  offset_ = offset;
  believed_since_ = jump_->since;
  jump_.reset();
  return {reading.wall, ClockEvent::followed, by};
}

}  // namespace finality
