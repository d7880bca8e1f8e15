#include "base/movable_clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace finality {
namespace {

using Offset = std::atomic_ref<std::int64_t>;
static_assert(Offset::is_always_lock_free, "processes share it without a lock");

Error failure(const std::string& path, const char* what) {
  return {fmt::format("cannot {} the clock file {}: {}", what, path, std::strerror(errno))};
}

}  // namespace

Result<std::unique_ptr<MovableClock>> MovableClock::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return std::unexpected(failure(path, "open"));
  const auto close_with = [&](Error error) {
    ::close(file);
    return std::unexpected(std::move(error));
  };
  struct stat status{};
  if (::fstat(file, &status) != 0) return close_with(failure(path, "read"));
  constexpr off_t kSize = sizeof(std::int64_t);
  if (status.st_size != 0 && status.st_size != kSize)
    return close_with({fmt::format("{} is not a clock file: it has {} bytes, not {}", path, status.st_size, kSize)});
  // Of two processes that create the file at once both extend it to the same size with zeros.
  if (::ftruncate(file, kSize) != 0) return close_with(failure(path, "write"));
  void* mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return close_with(failure(path, "map"));
  ::close(file);
  std::unique_ptr<MovableClock> clock(new MovableClock(static_cast<std::int64_t*>(mapped)));
  const Duration offset = clock->offset();
  if (offset < Duration{0} || offset > kOffsetMax)
    return fail(fmt::format("{} is not a clock file: its offset is {} ms", path, offset.count()));
  return clock;
}

MovableClock::~MovableClock() { ::munmap(offset_ms_, sizeof(std::int64_t)); }

Time MovableClock::now() const { return SystemClock().now() + offset(); }

Duration MovableClock::offset() const { return Duration{Offset(*offset_ms_).load()}; }

Result<void> MovableClock::advance(Duration by) {
  if (by <= Duration{0}) return fail("the clock moves forward only: the duration must be positive");
  Offset offset(*offset_ms_);
  for (std::int64_t before = offset.load(); by <= kOffsetMax - Duration{before};)
    if (offset.compare_exchange_weak(before, before + by.count())) return {};
  return fail(fmt::format("the clock can be moved by at most {} days in all",
                          std::chrono::duration_cast<std::chrono::days>(kOffsetMax).count()));
}

}  // namespace finality
