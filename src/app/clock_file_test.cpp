#include "app/clock_file.h"

#include <gtest/gtest.h>

#include <fstream>

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

TEST(ClockFileTest, TheStoreOfADemoHasTheClockBesideIt) {
  const TemporaryDirectory directory;
  const std::string store = "sqlite:" + (directory.path() / "finality.db").string();
  const auto write = [&](const char* name) { std::ofstream(directory.path() / name) << ""; };
  write("clock");
  EXPECT_EQ(clock_file_for("", store), "") << "a store that is no demo";
  write("demo.lock");
  EXPECT_EQ(clock_file_for("", store), (directory.path() / "clock").string());
  EXPECT_EQ(clock_file_for("other", store), "other");
  EXPECT_EQ(clock_file_for("", "postgres://finality@db/finality"), "");
  EXPECT_EQ(clock_file_for("", "sqlite:finality.db"), "") << "the working directory is no demo";
}

}  // namespace
}  // namespace finality::app
