#include "base/time/checked_clock.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/limits.h"
#include "base/log.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

// Differences up to this size need no update of the believed offset: they are less than half of any bound.
constexpr std::int64_t kSmallMs = 20;
// Time between the readings of both clocks. If more has passed, the thread was suspended in between, and the readings
// do not belong together.
constexpr Duration kApartMax = 100ms;
constexpr int kReadsMax = 5;

Duration read(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return Duration{std::int64_t{at.tv_sec} * 1000 + at.tv_nsec / 1'000'000};
}

}  // namespace

ClockReading read_machine_clocks() {
  const Duration steady = read(CLOCK_BOOTTIME);
  return {Time{read(CLOCK_REALTIME).count()}, steady};
}

CheckedClock::CheckedClock(Source source) : source_(std::move(source)) { read_checked(); }

Time CheckedClock::now() const {
  const ClockReading reading = source_();
  const std::int64_t drift = reading.wall.ms - reading.steady.count() - offset_ms_.load(std::memory_order_relaxed);
  if (std::abs(drift) > kSmallMs) return read_checked();
  return reading.wall - Duration{excess_ms_.load(std::memory_order_relaxed)};
}

// Reads both clocks again if the thread was suspended between the two readings.
ClockReading CheckedClock::read_both() const {
  ClockReading reading = source_();
  for (int reads = 1; reads < kReadsMax; ++reads) {
    const ClockReading next = source_();
    if (next.steady - reading.steady <= kApartMax) break;
    reading = next;
  }
  return reading;
}

Time CheckedClock::read_checked() const {
  const std::lock_guard lock(mutex_);
  return read_locked();
}

Time CheckedClock::read_locked() const {
  const ClockReading reading = read_both();
  const JumpFilter::Believed believed = filter_.read(reading);
  note(believed, reading);
  offset_ms_ = filter_.is_suspicious() ? kNone : reading.wall.ms - reading.steady.count();
  bound(reading, believed.now);
  return believed.now - Duration{excess_ms_};
}

void CheckedClock::note(const JumpFilter::Believed& believed, ClockReading reading) const {
  const auto by_ms = believed.by.count();
  switch (believed.event) {
    case ClockEvent::none:
      return;
    case ClockEvent::jumped:
      ++jumps_;
      return log::warn("wall clock jumped, not followed yet",
                       {{"by_ms", by_ms}, {"wall", to_rfc3339(reading.wall)}, {"now", to_rfc3339(believed.now)}});
    case ClockEvent::returned:
      return log::info("wall clock returned from its jump", {{"now", to_rfc3339(believed.now)}});
    case ClockEvent::followed:
      return log::warn("jump of the wall clock followed", {{"by_ms", by_ms}, {"now", to_rfc3339(believed.now)}});
  }
}

// Lanes compare concurrently, so a reading can arrive after a later one. It is then ignored.
void CheckedClock::compare(Time store_now, Duration asked_at) {
  const std::lock_guard lock(mutex_);
  if (asked_at < store_asked_at_) return;
  store_asked_at_ = asked_at;
  store_offset_ = Duration{store_filter_.read({store_now, asked_at}).now.ms} - asked_at;
  read_locked();
}

// Bounds the lead of the time over the store's clock. The lead must halve before its end is logged, so that a lead near
// the bound is logged once.
void CheckedClock::bound(ClockReading reading, Time believed) const {
  if (!store_offset_) return;
  const Duration lead = Duration{believed.ms} - reading.steady - *store_offset_;
  lead_ms_ = lead.count();
  excess_ms_ = std::max<std::int64_t>(0, (lead - limits::kClockLeadMax).count());
  if (!is_ahead_ && lead > limits::kClockLeadMax) {
    is_ahead_ = true;
    log::error("wall clock is ahead of the database's clock, its lead is bounded: check the time service (NTP)",
               {{"lead_ms", lead.count()}, {"lead_max_ms", limits::kClockLeadMax.count()}});
  } else if (is_ahead_ && lead <= limits::kClockLeadMax / 2) {
    is_ahead_ = false;
    log::info("wall clock agrees with the database's clock", {{"lead_ms", lead.count()}});
  }
}

}  // namespace finality
