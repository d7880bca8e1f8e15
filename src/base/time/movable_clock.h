// A clock that can be moved forward by days: for tests and rehearsals, never for production.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace finality {

/// The machine's clock plus an offset that is kept in a file. Every process with the same file has the same time, also
/// after a restart. Thread safe.
class MovableClock final : public Clock {
 public:
  /// The offset of all moves together is at most this. Ids end in 2093 (base/id.h).
  static constexpr Duration kOffsetMax = std::chrono::days(3'650);

  /// Creates the file with an offset of zero if it does not exist. An error names the file.
  static Result<std::unique_ptr<MovableClock>> open(const std::string& path);
  /// Opens a file that another process created; `writable` is needed to advance it.
  static Result<std::unique_ptr<MovableClock>> open_existing(const std::string& path, bool writable);
  ~MovableClock() override;
  MovableClock(const MovableClock&) = delete;
  MovableClock& operator=(const MovableClock&) = delete;

  Time now() const override;
  bool is_movable() const override { return true; }

  /// The last known offset if the file was damaged meanwhile.
  Duration offset() const;
  /// Moves the time forward for every process with this file. An error when `by` is not positive, the offset would
  /// exceed kOffsetMax, or the file cannot be written; nothing has moved then.
  Result<void> advance(Duration by);

 private:
  MovableClock(int file, std::string path) : file_(file), path_(std::move(path)) {}
  static Result<std::unique_ptr<MovableClock>> open_with(const std::string& path, int flags);

  int file_;
  std::string path_;
  mutable std::atomic<std::int64_t> known_ms_ = 0;
};

}  // namespace finality
