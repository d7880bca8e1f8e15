#include "app/clock_file.h"

#include <gtest/gtest.h>

#include "base/testing/temporary_directory.h"
#include "base/testing/test_clock.h"

namespace finality::app {
namespace {

TEST(ClockFileTest, WithoutAFileTheSystemClockIsUsed) {
  const auto clock = open_clock("");
  ASSERT_TRUE(clock);
  EXPECT_FALSE((*clock)->is_movable());
}

TEST(ClockFileTest, TheGivenClockIsUsedWithAndWithoutAFile) {
  const TemporaryDirectory directory;
  const auto base = std::make_shared<TestClock>(Time{1'790'000'000'000});
  EXPECT_EQ(*open_clock("", base), base);
  EXPECT_EQ((*open_clock(directory.path() / "clock", base))->now(), base->now());
}

TEST(ClockFileTest, WithAFileTheClockIsMovable) {
  const TemporaryDirectory directory;
  const auto clock = open_clock(directory.path() / "clock");
  ASSERT_TRUE(clock);
  EXPECT_TRUE((*clock)->is_movable());
}

}  // namespace
}  // namespace finality::app
