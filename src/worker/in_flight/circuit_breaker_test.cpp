#include "worker/in_flight/circuit_breaker.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

using enum BreakerState;
using enum Admission;
using namespace std::chrono_literals;

constexpr Time kNow{1'790'000'000'000};
constexpr int kRow = static_cast<int>(limits::kBreakerConsecutiveFailures);

class CircuitBreakerTest : public testing::Test {
 protected:
  /// Makes a call that completes immediately. `answered`: whether the channel responds.
  void call(bool answered, std::uint64_t trade) {
    const Admission admission = breaker_.admit(now_);
    ASSERT_NE(admission, held);
    breaker_.record(admission, answered, trade, now_, now_);
  }
  void fail_for(int calls, std::uint64_t trades = limits::kBreakerTrades) {
    for (int i = 0; i < calls; ++i) call(false, static_cast<std::uint64_t>(i) % trades);
  }
  void open() {
    fail_for(kRow);
    ASSERT_EQ(breaker_.state(), BreakerState::open);
  }
  void probe(bool answered) {
    ASSERT_EQ(breaker_.admit(now_), probes);
    breaker_.record(probes, answered, 1, now_, now_);
  }

  CircuitBreaker breaker_;
  Time now_ = kNow;
};

TEST(BreakerTable, DefinesTheNextStateForEachStateAndEvent) {
  const struct {
    BreakerEvent event;
    BreakerState after_closed, after_open, after_half_open;
  } rows[] = {
      {BreakerEvent::tripped, open, open, half_open},
      {BreakerEvent::cooled, closed, half_open, half_open},
      {BreakerEvent::probe_answered, closed, open, closed},
      {BreakerEvent::probe_failed, closed, open, open},
  };
  ASSERT_EQ(std::size(rows), kCount<BreakerEvent>);
  for (const auto& row : rows) {
    EXPECT_EQ(next(closed, row.event), row.after_closed) << name_of(row.event);
    EXPECT_EQ(next(BreakerState::open, row.event), row.after_open) << name_of(row.event);
    EXPECT_EQ(next(half_open, row.event), row.after_half_open) << name_of(row.event);
  }
}

TEST_F(CircuitBreakerTest, ConsecutiveFailuresOpenIt) {
  fail_for(kRow - 1);
  EXPECT_EQ(breaker_.state(), closed);
  EXPECT_EQ(breaker_.admit(now_), passes);
  fail_for(1);
  EXPECT_EQ(breaker_.state(), BreakerState::open);
  EXPECT_TRUE(breaker_.is_down(now_));
  EXPECT_EQ(breaker_.admit(now_), held);
}

TEST_F(CircuitBreakerTest, AResponseEndsTheSequence) {
  fail_for(kRow - 1);
  for (std::uint64_t i = 0; i < limits::kBreakerCalls; ++i) call(true, i);
  fail_for(kRow - 1);
  EXPECT_EQ(breaker_.state(), closed);
}

TEST_F(CircuitBreakerTest, FailuresOfOneTradeDoNotOpenIt) {
  fail_for(1000, limits::kBreakerTrades - 1);
  EXPECT_EQ(breaker_.state(), closed);
}

TEST_F(CircuitBreakerTest, AFailureRateOfHalfOpensIt) {
  for (std::uint64_t i = 0; i < limits::kBreakerCallsMin / 2; ++i) {
    EXPECT_EQ(breaker_.state(), closed);
    call(true, i);
    call(false, i);
  }
  EXPECT_EQ(breaker_.state(), BreakerState::open);
}

TEST_F(CircuitBreakerTest, OldCallsDoNotCountForTheRate) {
  for (std::uint64_t i = 0; i < 10 * limits::kBreakerCallsMin; ++i) {
    call(true, i);
    call(false, i);
    now_ = now_ + limits::kBreakerWindow / 8;
  }
  EXPECT_EQ(breaker_.state(), closed);
}

TEST_F(CircuitBreakerTest, AfterAPauseOneProbeAtATimeIsAdmitted) {
  open();
  now_ = now_ + limits::kBreakerPauseFirst - 1ms;
  EXPECT_EQ(breaker_.admit(now_), held);
  now_ = now_ + 1ms;
  EXPECT_EQ(breaker_.admit(now_), probes);
  EXPECT_EQ(breaker_.state(), half_open);
  EXPECT_TRUE(breaker_.is_down(now_));
  EXPECT_EQ(breaker_.admit(now_ + 60s), held) << "the probe is still in flight";
}

TEST_F(CircuitBreakerTest, ASuccessfulProbeClosesIt) {
  open();
  now_ = now_ + limits::kBreakerPauseFirst;
  probe(true);
  EXPECT_EQ(breaker_.state(), closed);
  EXPECT_FALSE(breaker_.is_down(now_));
  fail_for(kRow - 1);
  EXPECT_EQ(breaker_.state(), closed) << "earlier failures no longer count";
}

TEST_F(CircuitBreakerTest, EachFailedProbeDoublesThePauseUpToALimit) {
  open();
  Duration pause = limits::kBreakerPauseFirst;
  for (int i = 0; i < 10; ++i) {
    now_ = now_ + pause - 1ms;
    EXPECT_EQ(breaker_.admit(now_), held) << i;
    now_ = now_ + 1ms;
    probe(false);
    EXPECT_EQ(breaker_.state(), BreakerState::open);
    pause = std::min(2 * pause, limits::kBreakerPauseMax);
  }
  now_ = now_ + limits::kBreakerPauseMax;
  probe(true);
  open();
  now_ = now_ + limits::kBreakerPauseFirst;
  EXPECT_EQ(breaker_.admit(now_), probes) << "the pause starts from its initial value again";
}

TEST_F(CircuitBreakerTest, CallsSentBeforeItOpenedAreIgnored) {
  EXPECT_EQ(breaker_.admit(now_), passes);
  open();
  breaker_.record(passes, true, 9, now_, now_);
  EXPECT_EQ(breaker_.state(), BreakerState::open);
  now_ = now_ + limits::kBreakerPauseFirst;
  ASSERT_EQ(breaker_.admit(now_), probes);
  breaker_.record(passes, false, 9, now_, now_);
  EXPECT_EQ(breaker_.state(), half_open);
}

TEST_F(CircuitBreakerTest, TimeoutsOfEarlierCallsDoNotReopenIt) {
  const Time before = now_;
  open();
  now_ = now_ + limits::kBreakerPauseFirst;
  probe(true);
  for (std::uint64_t i = 0; i < limits::kBreakerCalls; ++i) breaker_.record(passes, false, i, before, now_ + 8s);
  EXPECT_EQ(breaker_.state(), closed);
}

TEST_F(CircuitBreakerTest, AnAbandonedProbeDoesNotCountForTheNext) {
  open();
  now_ = now_ + limits::kBreakerPauseFirst;
  const Time first = now_;
  ASSERT_EQ(breaker_.admit(now_), probes);
  now_ = now_ + limits::kBreakerForgottenAfter;
  ASSERT_EQ(breaker_.admit(now_), probes);
  breaker_.record(probes, true, 1, first, now_);
  EXPECT_EQ(breaker_.state(), half_open);
  EXPECT_EQ(breaker_.admit(now_), held) << "one at a time";
}

TEST_F(CircuitBreakerTest, AClockSetBackKeepsItOpenNoLongerThanItsPause) {
  open();
  now_ = now_ - 1h;
  EXPECT_EQ(breaker_.admit(now_), held);
  now_ = now_ + limits::kBreakerPauseFirst;
  EXPECT_EQ(breaker_.admit(now_), probes);
  breaker_.record(probes, true, 1, now_, now_);
  now_ = now_ - 1h;
  fail_for(kRow);
  EXPECT_EQ(breaker_.state(), BreakerState::open) << "it still opens when necessary";
}

TEST_F(CircuitBreakerTest, AChannelWithoutRecentCallsIsTriedAgain) {
  open();
  now_ = now_ + limits::kBreakerForgottenAfter - 1ms;
  EXPECT_TRUE(breaker_.is_down(now_));
  now_ = now_ + 1ms;
  EXPECT_FALSE(breaker_.is_down(now_));
}

TEST_F(CircuitBreakerTest, ALostProbeDoesNotKeepItOpen) {
  open();
  now_ = now_ + limits::kBreakerPauseFirst;
  ASSERT_EQ(breaker_.admit(now_), probes);
  now_ = now_ + limits::kBreakerForgottenAfter;
  EXPECT_EQ(breaker_.admit(now_), probes);
}

}  // namespace
}  // namespace finality
