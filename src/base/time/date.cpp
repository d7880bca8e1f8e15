#include "base/time/date.h"

#include "base/check.h"

namespace finality {

std::string date_of(Time at, std::chrono::minutes utc_offset) { return to_rfc3339(at + utc_offset).substr(0, 10); }

std::optional<Time> start_of_day(std::string_view date, std::chrono::minutes utc_offset) {
  if (!is_date(date)) return std::nullopt;
  const auto midnight = parse_rfc3339(std::string(date) + "T00:00:00Z");
  return midnight ? std::optional(*midnight - utc_offset) : std::nullopt;
}

std::string add_days(std::string_view date, std::int64_t days) {
  const auto midnight = start_of_day(date, std::chrono::minutes(0));
  FINALITY_CHECK(midnight.has_value(), "the text is a day");
  return date_of(*midnight + std::chrono::days(days), std::chrono::minutes(0));
}

}  // namespace finality
