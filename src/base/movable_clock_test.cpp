#include "base/movable_clock.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

class MovableClockTest : public testing::Test {
 protected:
  std::unique_ptr<MovableClock> open() { return std::move(*MovableClock::open(path_)); }
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  TemporaryDirectory directory_;
  std::string path_ = directory_.path() / "clock";
};

TEST_F(MovableClockTest, ANewFileIsTheMachinesTime) {
  const auto clock = open();
  const Time before = SystemClock().now();
  const Time now = clock->now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, SystemClock().now());
  EXPECT_EQ(clock->offset(), 0ms);
}

TEST_F(MovableClockTest, EveryClockOfTheFileMovesWithIt) {
  const auto one = open();
  const auto other = open();
  ASSERT_TRUE(one->advance(48h));
  ASSERT_TRUE(other->advance(1min));
  EXPECT_EQ(one->offset(), 48h + 1min);
  EXPECT_EQ(other->offset(), 48h + 1min);
  EXPECT_GE(other->now(), SystemClock().now() + 48h);
}

TEST_F(MovableClockTest, TheOffsetOutlivesTheProcess) {
  ASSERT_TRUE(open()->advance(7h));
  EXPECT_EQ(open()->offset(), 7h);
}

TEST_F(MovableClockTest, ItMovesForwardOnlyAndWithinItsLimit) {
  const auto clock = open();
  ASSERT_TRUE(clock->advance(1h));
  for (const Duration by : {0ms, -1ms, Duration(MovableClock::kOffsetMax), Duration::max(), Duration::min()})
    EXPECT_FALSE(clock->advance(by)) << by.count();
  EXPECT_EQ(clock->offset(), 1h);
  EXPECT_TRUE(clock->advance(MovableClock::kOffsetMax - 1h));
}

TEST_F(MovableClockTest, AFileOfSomethingElseIsRefusedAndLeftAsItIs) {
  for (const std::string& bytes : {std::string("not a clock"), std::string(8, static_cast<char>(0xff))}) {
    write(bytes);
    const auto opened = MovableClock::open(path_);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find(path_), std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(path_), bytes.size());
  }
}

TEST_F(MovableClockTest, ADirectoryThatDoesNotExistIsNamed) {
  const auto opened = MovableClock::open(directory_.path() / "none" / "clock");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("none/clock"), std::string::npos);
}

}  // namespace
}  // namespace finality
