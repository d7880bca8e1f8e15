#include "base/time/date.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

using namespace std::chrono_literals;

TEST(Date, IsThatOfTheTimeZone) {
  const Time late = *parse_rfc3339("2026-02-28T16:00:00Z");
  EXPECT_EQ(date_of(late, 8h), "2026-03-01");
  EXPECT_EQ(date_of(late - 1ms, 8h), "2026-02-28");
  EXPECT_EQ(date_of(late, -5h), "2026-02-28");
}

TEST(Date, BeginsAtMidnightOfTheTimeZone) {
  EXPECT_EQ(start_of_day("2026-03-01", 8h), parse_rfc3339("2026-03-01T00:00:00+08:00"));
  EXPECT_EQ(start_of_day("2026-02-29", 8h), std::nullopt);
  EXPECT_EQ(start_of_day("2026-3-1", 8h), std::nullopt);
}

TEST(Date, AddsDaysOverTheEndsOfMonthsAndYears) {
  EXPECT_EQ(add_days("2024-02-28", 1), "2024-02-29");
  EXPECT_EQ(add_days("2026-12-31", 1), "2027-01-01");
  EXPECT_EQ(add_days("2026-03-01", -1), "2026-02-28");
}

}  // namespace
}  // namespace finality
