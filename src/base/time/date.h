// Calendar days `YYYY-MM-DD` in a time zone with a fixed offset from UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality {

/// The day of an instant in the time zone.
std::string date_of(Time at, std::chrono::minutes utc_offset);

/// The first instant of the day in the time zone. Empty if the text is no day (is_date()).
std::optional<Time> start_of_day(std::string_view date, std::chrono::minutes utc_offset);

/// The day that is `days` later; earlier if negative. REQUIRES: is_date(date).
std::string add_days(std::string_view date, std::int64_t days);

}  // namespace finality
