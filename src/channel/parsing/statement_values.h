// Parses the values of statements: decimal amounts, counts, local times, texts of payers and merchants. Amounts are
// never floating-point numbers. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"

namespace finality {

/// Time zone and currency of the statements of Chinese channels.
inline constexpr std::chrono::minutes kChinaTime = std::chrono::hours(8);
inline constexpr Currency kYuan{{'C', 'N', 'Y'}};

/// Parses a decimal number such as `12.30`, `-0.5` or `+7` with at most `digits` digits after the decimal point, and
/// returns it multiplied by 10^digits. Empty if the text has another format, more digits, or an absolute value above
/// `max`.
std::optional<std::int64_t> parse_decimal(std::string_view text, int digits, std::int64_t max);

/// Parses a count such as `20`; also `20.0`, as some statements print it. Empty if the text is invalid.
std::optional<std::int64_t> parse_count(std::string_view text);

/// Parses `2026-01-31 23:59:59` as a time in a zone with this offset from UTC. Empty if the text is invalid.
std::optional<Time> parse_local_time(std::string_view text, std::chrono::minutes utc_offset);

/// A day in a time zone, from `begin` (inclusive) to `end` (exclusive).
struct DaySpan {
  Time begin;
  Time end;
};
/// Returns the day `YYYY-MM-DD` in a zone with this offset from UTC; empty if the text is not a calendar day.
std::optional<DaySpan> parse_day(std::string_view date, std::chrono::minutes utc_offset);

/// Returns the first `bytes_max` bytes of a text of unknown origin, without an incomplete character at the end, as
/// well-formed UTF-8 in one line: escapes invalid bytes and control characters like printable().
std::string printable_text(std::string_view text, std::size_t bytes_max);

}  // namespace finality
