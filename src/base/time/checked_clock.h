// The machine's wall clock, checked against its monotonic clock and against the clock of the store.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>

#include "base/time/jump_filter.h"

namespace finality {

/// Reads both clocks of the machine. The monotonic clock is CLOCK_BOOTTIME, which also advances while the machine
/// sleeps.
ClockReading read_machine_clocks();

/// The clock of a server (docs/adr/0051-time-and-ids.md). Thread safe; a reading without a jump takes no lock.
///   - A jump of the wall clock is believed only after it has lasted (base/time/jump_filter.h). Each jump is logged and
///     counted once.
///   - The time leads the clock of the store by at most limits::kClockLeadMax, if the store has its own clock
///     (compare()). So a server whose clock is fast neither expires orders early nor moves the ids of other servers
///     forward by more.
class CheckedClock final : public Clock {
 public:
  using Source = std::function<ClockReading()>;

  /// `source`: thread safe. Reads the wall clock once, so that a later jump is detected.
  explicit CheckedClock(Source source = read_machine_clocks);

  Time now() const override;

  /// The monotonic clock of the source, for compare().
  Duration steady() const { return source_().steady; }
  /// Compares the time with that of the store. `store_now`: a reading of the store's clock; `asked_at`: steady() before
  /// the request for it. A jump of the store's clock is not believed at once either.
  void compare(Time store_now, Duration asked_at);

  /// Number of jumps since the start.
  std::uint64_t jumps() const { return jumps_; }
  /// The wall clock minus the store's clock at the last compare(); 0 before. Too small by the network's latency.
  Duration lead() const { return Duration{lead_ms_}; }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min() / 2;  // always takes the slow path

  Time read_checked() const;
  Time read_locked() const;  // REQUIRES: the caller holds mutex_
  ClockReading read_both() const;
  void note(const JumpFilter::Believed& believed, ClockReading reading) const;
  void bound(ClockReading reading, Time believed) const;

  Source source_;
  mutable std::atomic<std::int64_t> offset_ms_ = kNone;  // believed wall clock minus monotonic clock
  mutable std::atomic<std::int64_t> excess_ms_ = 0;      // by which the believed time exceeds its bound; not negative
  mutable std::atomic<std::uint64_t> jumps_ = 0;
  mutable std::atomic<std::int64_t> lead_ms_ = 0;

  mutable std::mutex mutex_;  // for the members below
  mutable JumpFilter filter_;
  mutable bool is_ahead_ = false;  // the lead over the store's clock was logged, and its end not yet
  JumpFilter store_filter_;
  Duration store_asked_at_{0};            // of the last compare()
  std::optional<Duration> store_offset_;  // the store's clock minus the monotonic clock; empty before compare()
};

}  // namespace finality
