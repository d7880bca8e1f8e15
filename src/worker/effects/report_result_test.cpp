#include "worker/effects/report_result.h"

#include "base/limits.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

class ReportResultTest : public testing::Test {
 protected:
  void report() {
    world_.inside([&] {
      report_result(world_.context,
                    {.command = RecordDelivery{.delivery_id = DeliveryId{9}}, .merchant_id = MerchantId{7}},
                    world_.in_flight->admit({EffectKind::delivery, {}, MerchantId{7}}));
    });
  }
  std::size_t in_flight() const { return world_.in_flight->count(); }
  WorkerCounters& counters() { return world_.context->counters; }

  World world_;
};

TEST_F(ReportResultTest, IsInFlightUntilItIsDecided) {
  report();
  ASSERT_EQ(world_.engine.count(), 1u);
  EXPECT_EQ(in_flight(), 1u);
  world_.engine.reply_to(0);
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(ReportResultTest, IsRetriedWhileTheEngineIsBusy) {
  world_.engine.answers = {refused(RefusalCode::busy), refused(RefusalCode::storage_write_error), Reply{}};
  report();
  ASSERT_EQ(world_.timers.waiting.size(), 1u);
  EXPECT_EQ(world_.timers.waiting.front().first, limits::kResultPauseFirst);
  world_.timers.run_next();
  ASSERT_EQ(world_.timers.waiting.size(), 1u);
  EXPECT_EQ(world_.timers.waiting.front().first, 2 * limits::kResultPauseFirst);
  EXPECT_EQ(in_flight(), 1u);
  world_.timers.run_next();
  EXPECT_EQ(world_.engine.count(), 3u);
  EXPECT_EQ(world_.engine.command<RecordDelivery>(2).delivery_id, DeliveryId{9});
  EXPECT_EQ(world_.engine.request(2).merchant_id, MerchantId{7});
  EXPECT_EQ(in_flight(), 0u);
  EXPECT_EQ(counters().results_retried, 2u);
  EXPECT_EQ(counters().results_lost, 0u);
}

TEST_F(ReportResultTest, IsDroppedAfterTheLastTry) {
  for (int i = 0; i < 2 * limits::kResultTriesMax; ++i) world_.engine.answers.push_back(refused(RefusalCode::busy));
  report();
  while (!world_.timers.waiting.empty()) world_.timers.run_next();
  EXPECT_EQ(world_.engine.count(), static_cast<std::size_t>(limits::kResultTriesMax));
  EXPECT_EQ(counters().results_lost, 1u);
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(ReportResultTest, ARefusalIsFinal) {
  world_.engine.answers = {refused(RefusalCode::not_found)};
  report();
  EXPECT_TRUE(world_.timers.waiting.empty());
  EXPECT_EQ(counters().results_refused, 1u);
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(ReportResultTest, NothingReachesTheEngineAfterTheGuardIsClosed) {
  world_.engine.answers = {refused(RefusalCode::busy)};
  report();
  world_.context->guard.close();
  world_.timers.run_next();
  EXPECT_EQ(world_.engine.count(), 1u);
  EXPECT_EQ(counters().results_lost, 1u);
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(ReportResultTest, ABusyReplyAfterTheGuardIsClosedEndsTheRetries) {
  report();
  world_.context->guard.close();
  world_.engine.reply_to(0, refused(RefusalCode::busy));
  EXPECT_TRUE(world_.timers.waiting.empty());
  EXPECT_EQ(counters().results_lost, 1u);
}

TEST(ResultPause, GrowsToALimit) {
  EXPECT_EQ(result_pause(1), limits::kResultPauseFirst);
  EXPECT_EQ(result_pause(3), 4 * limits::kResultPauseFirst);
  EXPECT_EQ(result_pause(1000), limits::kResultPauseMax);
}

}  // namespace
}  // namespace finality
