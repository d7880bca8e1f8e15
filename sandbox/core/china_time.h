// Formats and parses times and days as the Chinese channels do, in Beijing time (UTC+8 all year). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::sandbox {

std::string china_date(Time at);     // for example 2026-11-21
std::string china_time(Time at);     // for example 2026-11-21 22:50:13
std::string china_rfc3339(Time at);  // for example 2026-11-21T22:50:13+08:00

/// Parses a time such as `2026-11-21 22:50:13`. Empty when the text is invalid.
std::optional<Time> parse_china_time(std::string_view text);

/// A day or month in China time, as the interval [begin, end).
struct Day {
  Time begin;
  Time end;
};
/// Returns the day that contains the time.
Day china_day_of(Time at);
/// Parses a day such as `2026-11-21` or a month such as `2026-11`. Empty when the text is invalid.
std::optional<Day> parse_china_day(std::string_view text);

}  // namespace finality::sandbox
