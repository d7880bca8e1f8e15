// Instants and durations in UTC milliseconds. The layers below worker/ receive the time as a value and
// never read a Clock.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace finality {

using Duration = std::chrono::milliseconds;

/// An instant, in milliseconds since 1970-01-01T00:00:00Z.
struct Time {
  std::int64_t ms = 0;

  auto operator<=>(const Time&) const = default;
  friend Time operator+(Time at, Duration by) { return {at.ms + by.count()}; }
  friend Time operator-(Time at, Duration by) { return {at.ms - by.count()}; }
  friend Duration operator-(Time later, Time earlier) { return Duration{later.ms - earlier.ms}; }
};

/// Formats an instant as RFC 3339 in UTC with milliseconds: `2026-01-31T23:59:59.000Z`.
std::string to_rfc3339(Time at);

/// Parses RFC 3339 with any offset and any number of fraction digits (truncated to milliseconds). Empty if invalid.
std::optional<Time> parse_rfc3339(std::string_view text);

/// Returns whether the text is a calendar day `YYYY-MM-DD`. Such texts sort by time.
bool is_date(std::string_view text);

/// Source of the current time. Thread safe.
class Clock {
 public:
  virtual ~Clock() = default;
  /// The current time.
  virtual Time now() const = 0;
  /// True if the time can jump forward. Code that waits for an instant must then poll now().
  virtual bool is_movable() const { return false; }
};

/// The machine's clock.
class SystemClock final : public Clock {
 public:
  Time now() const override;
};

}  // namespace finality
