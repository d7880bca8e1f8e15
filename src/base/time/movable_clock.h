// A clock that can be advanced, for example by days. For tests and demos, never for production.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace finality {

/// A clock plus an offset that is stored in a file. All processes that use the same file have the same
/// time, also after a restart. Thread safe.
class MovableClock final : public Clock {
 public:
  /// Upper bound of the total offset. Limited because ids end in 2093 (base/id.h).
  static constexpr Duration kOffsetMax = std::chrono::days(3'650);

  /// Creates the file with an offset of zero if it does not exist. `base`: the clock to which the offset is added. An
  /// error names the file.
  static Result<std::unique_ptr<MovableClock>> open(
      const std::string& path, std::shared_ptr<const Clock> base = std::make_shared<const SystemClock>());
  /// Opens a file that another process created. advance() requires `writable`. An error names the file.
  static Result<std::unique_ptr<MovableClock>> open_existing(const std::string& path, bool writable);
  ~MovableClock() override;
  MovableClock(const MovableClock&) = delete;
  MovableClock& operator=(const MovableClock&) = delete;

  /// Reads the file at most once per millisecond of the clock `base`.
  Time now() const override;
  bool is_movable() const override { return true; }

  /// The current offset from the file, or the last valid offset if the file has been damaged since it was opened.
  Duration offset() const;
  /// Advances the time for all processes that use this file. Returns an error and changes nothing if `by` is not
  /// positive, the offset would exceed kOffsetMax, or the file cannot be written.
  Result<void> advance(Duration by);

 private:
  MovableClock(int file, std::string path, std::shared_ptr<const Clock> base)
      : file_(file), path_(std::move(path)), base_(std::move(base)) {}
  static Result<std::unique_ptr<MovableClock>> open_with(const std::string& path, int flags,
                                                         std::shared_ptr<const Clock> base);

  int file_;
  std::string path_;
  std::shared_ptr<const Clock> base_;
  mutable std::atomic<std::int64_t> last_offset_ms_ = 0;
  mutable std::atomic<std::int64_t> read_at_ms_ = -1;  // time of `base` at which now() has read the file
};

}  // namespace finality
