#include "app/clock_file.h"

#include <gtest/gtest.h>

#include "base/testing/temporary_directory.h"

namespace finality::app {
namespace {

TEST(ClockFileTest, WithoutAFileTheSystemClockIsUsed) {
  const auto clock = open_clock("");
  ASSERT_TRUE(clock);
  EXPECT_FALSE((*clock)->is_movable());
}

TEST(ClockFileTest, WithAFileTheClockIsMovable) {
  const TemporaryDirectory directory;
  const auto clock = open_clock(directory.path() / "clock");
  ASSERT_TRUE(clock);
  EXPECT_TRUE((*clock)->is_movable());
}

}  // namespace
}  // namespace finality::app
