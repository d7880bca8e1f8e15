#include "base/time/movable_clock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/testing/temporary_directory.h"
#include "base/testing/test_clock.h"

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

TEST_F(MovableClockTest, New_file_has_the_machines_time) {
  const auto clock = open();
  const Time before = SystemClock().now();
  const Time now = clock->now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, SystemClock().now());
  EXPECT_EQ(clock->offset(), 0ms);
}

TEST_F(MovableClockTest, Every_clock_of_a_file_moves_with_it) {
  const auto one = open();
  const auto other = open();
  ASSERT_TRUE(one->advance(48h));
  ASSERT_TRUE(other->advance(1min));
  EXPECT_EQ(one->offset(), 48h + 1min);
  EXPECT_EQ(other->offset(), 48h + 1min);
  EXPECT_GE(other->now(), SystemClock().now() + 48h);
}

TEST_F(MovableClockTest, Concurrent_advances_all_count) {
  const auto advance = [this] {
    const auto clock = open();
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(clock->advance(1s));
  };
  std::jthread one(advance);
  std::jthread other(advance);
  one.join();
  other.join();
  EXPECT_EQ(open()->offset(), 400s);
}

TEST_F(MovableClockTest, Offset_is_added_to_the_given_clock) {
  const auto base = std::make_shared<TestClock>(Time{1'790'000'000'000});
  const auto clock = std::move(*MovableClock::open(path_, base));
  ASSERT_TRUE(clock->advance(48h));
  base->advance(1s);
  EXPECT_EQ(clock->now(), Time{1'790'000'000'000} + 48h + 1s);
}

TEST_F(MovableClockTest, Offset_outlives_the_process) {
  ASSERT_TRUE(open()->advance(7h));
  EXPECT_EQ(open()->offset(), 7h);
}

TEST_F(MovableClockTest, Advance_backwards_or_beyond_the_limit_is_rejected) {
  const auto clock = open();
  ASSERT_TRUE(clock->advance(1h));
  for (const Duration by : {0ms, -1ms, Duration(MovableClock::kOffsetMax), Duration::max(), Duration::min()})
    EXPECT_FALSE(clock->advance(by)) << by.count();
  EXPECT_EQ(clock->offset(), 1h);
  EXPECT_TRUE(clock->advance(MovableClock::kOffsetMax - 1h));
}

TEST_F(MovableClockTest, Other_file_is_rejected_and_left_unchanged) {
  for (const std::string& bytes : {std::string("not a clock"), std::string(8, static_cast<char>(0xff))}) {
    write(bytes);
    const auto opened = MovableClock::open(path_);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find(path_), std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(path_), bytes.size());
  }
}

TEST_F(MovableClockTest, File_that_is_truncated_later_keeps_the_last_offset) {
  const auto clock = open();
  ASSERT_TRUE(clock->advance(3h));
  EXPECT_EQ(clock->offset(), 3h);
  write("");
  EXPECT_EQ(clock->offset(), 3h);
}

TEST_F(MovableClockTest, Open_existing_creates_nothing) {
  EXPECT_FALSE(MovableClock::open_existing(path_, true));
  EXPECT_FALSE(std::filesystem::exists(path_));
  write("");
  EXPECT_FALSE(MovableClock::open_existing(path_, true));
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
}

TEST_F(MovableClockTest, Read_only_clock_cannot_be_advanced) {
  ASSERT_TRUE(open()->advance(1h));
  const auto clock = MovableClock::open_existing(path_, false);
  ASSERT_TRUE(clock);
  EXPECT_EQ((*clock)->offset(), 1h);
  EXPECT_FALSE((*clock)->advance(1h));
  EXPECT_EQ(open()->offset(), 1h);
}

TEST_F(MovableClockTest, Missing_directory_is_named) {
  const auto opened = MovableClock::open(directory_.path() / "none" / "clock");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("none/clock"), std::string::npos);
}

}  // namespace
}  // namespace finality
