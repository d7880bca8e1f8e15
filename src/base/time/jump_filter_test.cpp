#include "base/time/jump_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{1'790'000'000'000};

/// A reading at `steady` after the first one, and what the filter must return. `wall` and `now` are errors: differences
/// from the true time.
struct Step {
  Duration steady;
  Duration wall;
  Duration now;
  ClockEvent event = ClockEvent::none;
};

struct Case {
  const char* name;
  std::vector<Step> steps;
};

using enum ClockEvent;

const Case kCases[] = {
    {"a_correct_clock_is_believed", {{0s, 0s, 0s}, {1s, 0s, 0s}, {1h, 0s, 0s}}},
    {"a_small_step_is_believed_at_once", {{0s, 0s, 0s}, {10s, 900ms, 900ms}, {11s, -100ms, -100ms}}},
    {"a_slewed_clock_is_believed", {{0s, 0s, 0s}, {1h, 800ms, 800ms}, {2h, 1600ms, 1600ms}, {3h, 2400ms, 2400ms}}},
    {"a_spike_forward_has_no_effect",
     {{0s, 0s, 0s}, {10s, 1h, 0s, jumped}, {10'100ms, 1h, 0s}, {10'300ms, 0s, 0s, returned}, {20s, 0s, 0s}}},
    {"a_spike_backward_has_no_effect", {{0s, 0s, 0s}, {10s, -1h, 0s, jumped}, {10'300ms, 0s, 0s, returned}}},
    {"spikes_of_different_sizes_are_separate_jumps",
     {{0s, 0s, 0s}, {10s, 1h, 0s, jumped}, {13s, 2h, 0s, jumped}, {16s, 2h, 0s}, {17s, 0s, 0s, returned}}},
    {"two_spikes_do_not_add_up",
     {{0s, 0s, 0s},
      {10s, 1h, 0s, jumped},
      {13s, 0s, 0s, returned},
      {14s, 1h, 0s, jumped},
      {17s, 1h, 0s},
      {18s, 0s, 0s, returned}}},
    {"a_lasting_jump_forward_is_followed",
     {{0s, 0s, 0s}, {10s, 1h, 0s, jumped}, {14'999ms, 1h, 0s}, {15s, 1h, 1h, followed}, {16s, 1h, 1h}}},
    {"a_lasting_jump_backward_is_followed",
     {{0s, 0s, 0s}, {10s, -1h, 0s, jumped}, {14'999ms, -1h, 0s}, {15s, -1h, -1h, followed}, {16s, -1h, -1h}}},
    {"a_jump_that_is_slewed_meanwhile_is_followed",
     {{0s, 0s, 0s}, {10s, 1h, 0s, jumped}, {13s, 1h + 600ms, 0s}, {15s, 1h + 1200ms, 1h + 1200ms, followed}}},
    {"a_clock_that_was_wrong_at_the_start_is_corrected",
     {{0s, 1h, 1h}, {1min, 1h, 1h}, {2min, 0s, 1h, jumped}, {2min + 5s, 0s, 0s, followed}}},
    {"a_start_within_a_spike_ends_with_it", {{0s, 1h, 1h}, {300ms, 0s, 0s, followed}, {10s, 0s, 0s}}},
    {"a_spike_just_after_the_start_has_no_effect",
     {{0s, 0s, 0s}, {1s, 1h, 0s, jumped}, {1'300ms, 0s, 0s, returned}, {10s, 0s, 0s}}},
    {"a_spike_after_a_followed_jump_has_no_effect",
     {{0s, 0s, 0s},
      {10s, 1h, 0s, jumped},
      {15s, 1h, 1h, followed},
      {16s, -1h, 1h, jumped},
      {16'300ms, 1h, 1h, returned}}},
};

class JumpFilterTable : public testing::TestWithParam<Case> {};

TEST_P(JumpFilterTable, Readings_determine_the_time) {
  JumpFilter filter;
  for (const Step& step : GetParam().steps) {
    const Time truth = kStart + step.steady;
    const JumpFilter::Believed believed = filter.read({truth + step.wall, step.steady + 7h});
    EXPECT_EQ((believed.now - truth).count(), step.now.count()) << "after " << step.steady.count() << " ms";
    EXPECT_EQ(believed.event, step.event) << "after " << step.steady.count() << " ms";
  }
}

INSTANTIATE_TEST_SUITE_P(All, JumpFilterTable, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(JumpFilterTest, The_size_of_a_jump_is_reported) {
  JumpFilter filter;
  filter.read({kStart, 0s});
  EXPECT_EQ(filter.read({kStart + 10s + 1h, 10s}).by, 1h);
  EXPECT_TRUE(filter.is_suspicious());
  EXPECT_EQ(filter.read({kStart + 10s + limits::kClockJumpLasts + 1h, 10s + limits::kClockJumpLasts}).by, 1h);
  EXPECT_FALSE(filter.is_suspicious());
}

}  // namespace
}  // namespace finality
