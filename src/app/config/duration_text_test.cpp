#include "app/config/duration_text.h"

#include <gtest/gtest.h>

namespace finality::app {
namespace {

using namespace std::chrono_literals;

constexpr Duration kMax = std::chrono::days(36'500);

TEST(DurationTextTest, ADurationIsAWholeNumberAndAUnit) {
  EXPECT_EQ(parse_duration("90s", kMax), 90s);
  EXPECT_EQ(parse_duration("15m", kMax), 15min);
  EXPECT_EQ(parse_duration("36h", kMax), 36h);
  EXPECT_EQ(parse_duration("7d", kMax), std::chrono::days(7));
  EXPECT_EQ(parse_duration("36500d", kMax), kMax);
}

TEST(DurationTextTest, OtherTextsAreRejected) {
  for (const char* text : {"", "d", "7", "7 d", "7days", "-1d", "0s", "+1d", "1.5h", "36501d", "99999999999999999999s"})
    EXPECT_FALSE(parse_duration(text, kMax)) << text;
}

}  // namespace
}  // namespace finality::app
