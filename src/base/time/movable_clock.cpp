#include "base/time/movable_clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace finality {
namespace {

constexpr std::size_t kBytes = sizeof(std::int64_t);

Error failure(const std::string& path, const char* what) {
  return {fmt::format("cannot {} the clock file {}: {}", what, path, std::strerror(errno))};
}

bool is_offset(std::int64_t ms) { return ms >= 0 && Duration{ms} <= MovableClock::kOffsetMax; }

}  // namespace

Result<std::unique_ptr<MovableClock>> MovableClock::open(const std::string& path, std::shared_ptr<const Clock> base) {
  return open_with(path, O_RDWR | O_CREAT, std::move(base));
}

Result<std::unique_ptr<MovableClock>> MovableClock::open_existing(const std::string& path, bool writable) {
  return open_with(path, writable ? O_RDWR : O_RDONLY, std::make_shared<const SystemClock>());
}

Result<std::unique_ptr<MovableClock>> MovableClock::open_with(const std::string& path, int flags,
                                                              std::shared_ptr<const Clock> base) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (file < 0) return std::unexpected(failure(path, "open"));
  std::unique_ptr<MovableClock> clock(new MovableClock(file, path, std::move(base)));
  struct stat status{};
  if (::fstat(file, &status) != 0) return std::unexpected(failure(path, "read"));
  // Needs no lock: two processes that create the file concurrently both extend it with zeros to the same size.
  if (status.st_size == 0 && (flags & O_CREAT) != 0) {
    if (::ftruncate(file, kBytes) != 0) return std::unexpected(failure(path, "write"));
    return clock;
  }
  std::int64_t offset_ms = 0;
  if (status.st_size != kBytes || ::pread(file, &offset_ms, kBytes, 0) != kBytes || !is_offset(offset_ms))
    return fail(fmt::format("{} is not a clock file", path));
  clock->last_offset_ms_ = offset_ms;
  return clock;
}

MovableClock::~MovableClock() { ::close(file_); }

Time MovableClock::now() const {
  const Time base = base_->now();
  if (read_at_ms_.exchange(base.ms, std::memory_order_relaxed) != base.ms) return base + offset();
  return base + Duration{last_offset_ms_};
}

Duration MovableClock::offset() const {
  std::int64_t offset_ms = 0;
  if (::pread(file_, &offset_ms, kBytes, 0) == kBytes && is_offset(offset_ms)) last_offset_ms_ = offset_ms;
  return Duration{last_offset_ms_};
}

Result<void> MovableClock::advance(Duration by) {
  if (by <= Duration{0}) return fail("the clock moves forward only: the duration must be positive");
  if (::flock(file_, LOCK_EX) != 0) return std::unexpected(failure(path_, "lock"));
  const Duration before = offset();
  Result<void> moved;
  if (by > kOffsetMax - before) {
    moved = fail(fmt::format("the clock can be advanced by at most {} days in total",
                             std::chrono::duration_cast<std::chrono::days>(kOffsetMax).count()));
  } else {
    const std::int64_t after = (before + by).count();
    if (::pwrite(file_, &after, kBytes, 0) != kBytes)
      moved = std::unexpected(failure(path_, "write"));
    else
      last_offset_ms_ = after;
  }
  ::flock(file_, LOCK_UN);
  return moved;
}

}  // namespace finality
