#include "base/time/checked_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/log.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{1'790'000'000'000};

/// Both clocks of a machine, set by the test, and the lines that the checked clock logs.
class CheckedClockTest : public testing::Test {
 protected:
  CheckedClockTest() {
    log::observe([this](std::string_view line) { lines_.emplace_back(line); });
  }
  ~CheckedClockTest() override { log::observe(nullptr); }

  void pass(Duration by) { steady_ += by; }
  Time truth() const { return kStart + steady_; }
  int lines_with(std::string_view text) const {
    return static_cast<int>(
        std::ranges::count_if(lines_, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

  Duration steady_{0};
  Duration error_{0};  // of the wall clock
  std::vector<std::string> lines_;
  CheckedClock clock_{[this] { return ClockReading{truth() + error_, steady_}; }};
};

TEST_F(CheckedClockTest, A_spike_of_an_hour_has_no_effect) {
  pass(1min);
  for (int i = 0; i < 3; ++i, pass(100ms)) {
    error_ = 1h;
    EXPECT_EQ(clock_.now(), truth());
  }
  error_ = 0s;
  EXPECT_EQ(clock_.now(), truth());
  EXPECT_EQ(clock_.jumps(), 1u);
  EXPECT_EQ(lines_with("by_ms=3600000"), 1) << "logged once, with its size";
}

TEST_F(CheckedClockTest, A_lasting_correction_is_followed) {
  pass(1min);
  error_ = -1h;
  EXPECT_EQ(clock_.now(), truth());
  pass(limits::kClockJumpLasts);
  EXPECT_EQ(clock_.now(), truth() - 1h);
  pass(1h);
  EXPECT_EQ(clock_.now(), truth() - 1h);
  EXPECT_EQ(clock_.jumps(), 1u);
}

TEST_F(CheckedClockTest, A_slow_correction_is_followed_without_a_jump) {
  for (int i = 0; i < 1000; ++i) {
    pass(1s);
    error_ += 10ms;
    EXPECT_LE(std::chrono::abs(clock_.now() - truth() - error_), 20ms);
  }
  EXPECT_EQ(clock_.jumps(), 0u);
}

TEST_F(CheckedClockTest, The_lead_over_the_store_is_bounded) {
  pass(1min);
  clock_.compare(truth() - 1h, steady_);  // the wall clock has been an hour ahead since the start
  EXPECT_EQ(clock_.now(), truth() - 1h + limits::kClockLeadMax);
  pass(10min);
  EXPECT_EQ(clock_.now(), truth() - 1h + limits::kClockLeadMax);
  clock_.compare(truth() - 1h, steady_);
  EXPECT_EQ(clock_.lead(), 1h);
  EXPECT_EQ(lines_with("ahead of the database's clock"), 1);
  error_ = -1h;  // the time service corrects the wall clock
  clock_.now();
  pass(limits::kClockJumpLasts);
  EXPECT_EQ(clock_.now(), truth() - 1h);
  EXPECT_EQ(lines_with("agrees with the database's clock"), 1);
}

TEST_F(CheckedClockTest, A_clock_behind_the_store_is_unchanged) {
  clock_.compare(truth() + 1h, steady_);
  EXPECT_EQ(clock_.now(), truth());
  EXPECT_EQ(clock_.lead(), -1h);
}

TEST_F(CheckedClockTest, A_spike_of_the_stores_clock_has_no_effect) {
  clock_.compare(truth(), steady_);
  pass(1min);
  clock_.compare(truth() - 1h, steady_);
  EXPECT_EQ(clock_.now(), truth());
  pass(1s);
  clock_.compare(truth(), steady_);
  EXPECT_EQ(clock_.now(), truth());
  clock_.compare(truth() - 1h, steady_ - 500ms);  // a lane reports an earlier reading later
  EXPECT_EQ(clock_.lead(), 0s);
}

TEST(CheckedClockOfTheMachine, Has_the_machines_time) {
  const CheckedClock clock;
  const Time before = SystemClock().now();
  const Time now = clock.now();
  EXPECT_LE(before - 1ms, now);
  EXPECT_LE(now, SystemClock().now() + 1ms);
  EXPECT_EQ(clock.jumps(), 0u);
  EXPECT_FALSE(clock.is_movable());
}

}  // namespace
}  // namespace finality
