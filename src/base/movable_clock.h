// A clock that can be moved forward by days: for tests and rehearsals, never for production.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace finality {

/// The machine's clock plus an offset that is kept in a file. Every process with the same file has the same time, also
/// after a restart. Thread safe.
class MovableClock final : public Clock {
 public:
  /// The offset of all moves together is at most this.
  static constexpr Duration kOffsetMax = std::chrono::days(36'500);

  /// Creates the file with an offset of zero if it does not exist. An error names the file.
  static Result<std::unique_ptr<MovableClock>> open(const std::string& path);
  ~MovableClock() override;
  MovableClock(const MovableClock&) = delete;
  MovableClock& operator=(const MovableClock&) = delete;

  Time now() const override;
  bool is_movable() const override { return true; }

  Duration offset() const;
  /// Moves the time forward for every process with this file. An error when `by` is not positive or the offset would
  /// exceed kOffsetMax; nothing has moved then.
  Result<void> advance(Duration by);

 private:
  explicit MovableClock(std::int64_t* offset_ms) : offset_ms_(offset_ms) {}

  std::int64_t* offset_ms_;  // mapped from the file, shared with other processes: atomic access only
};

}  // namespace finality
