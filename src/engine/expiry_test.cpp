#include "engine/expiry.h"

#include "engine/test_engine.h"

namespace finality {
namespace {

using namespace test;

class ExpiryTest : public testing::Test {
 protected:
  CommitOutcome step() { return expiry_.step(session_, now_); }
  ExpireStep last_step() { return script_.steps().back(); }

  Time now_ = kNow;
  Policy policy_;
  EngineCounts counts_;
  StoreScript script_;
  ScriptedSession session_{script_};
  Expiry expiry_{policy_, counts_};
};

TEST_F(ExpiryTest, RowsAreKeptForTheRetentionAndAMargin) {
  policy_.idempotency_retention = std::chrono::hours(48);
  policy_.delivery_retention = std::chrono::hours(24 * 7);
  step();
  EXPECT_EQ(last_step().records_before, now_ - std::chrono::hours(48) - limits::kExpireMargin);
  EXPECT_EQ(last_step().deliveries_before, now_ - std::chrono::hours(24 * 7) - limits::kExpireMargin);
  EXPECT_EQ(last_step().files_before, now_ - limits::kStatementFilesKept - limits::kExpireMargin);
  EXPECT_EQ(last_step().limit, limits::kExpiredPerStep);
  EXPECT_EQ(last_step().files_limit, limits::kExpiredFilesPerStep);
}

TEST_F(ExpiryTest, ARoundContinuesAndRestartsAfterItsEnd) {
  script_.steps_answer({{.idempotency_records = 3,
                         .deliveries = 2,
                         .records_after = IdempotencyRecordId{7},
                         .deliveries_after = DeliveryId{8}},
                        {.idempotency_records = 1,
                         .records_after = IdempotencyRecordId{9},
                         .deliveries_after = DeliveryId{9},
                         .at_end = true}});
  EXPECT_TRUE(expiry_.is_due(now_));
  step();
  EXPECT_EQ(counts_.idempotency_records_expired, 3u);
  EXPECT_EQ(counts_.deliveries_expired, 2u);
  EXPECT_FALSE(expiry_.is_due(now_));
  now_ = now_ + limits::kExpireEvery;
  EXPECT_TRUE(expiry_.is_due(now_));
  step();
  EXPECT_EQ(last_step().records_after, IdempotencyRecordId{7});
  EXPECT_EQ(last_step().deliveries_after, DeliveryId{8});
  EXPECT_EQ(counts_.idempotency_records_expired, 4u);

  EXPECT_FALSE(expiry_.is_due(now_ + limits::kExpireEvery));
  now_ = now_ + limits::kExpireAgainAfter;
  EXPECT_TRUE(expiry_.is_due(now_));
  step();
  EXPECT_EQ(last_step().records_after, IdempotencyRecordId{});
  EXPECT_EQ(last_step().deliveries_after, DeliveryId{});
}

TEST_F(ExpiryTest, AFailedStepIsCountedAndRetriedAfterAPause) {
  script_.steps_answer({{.result = {CommitOutcome::failed, "the disk is full"}}});
  EXPECT_EQ(step(), CommitOutcome::failed);
  EXPECT_EQ(counts_.expiry_failures, 1u);
  EXPECT_FALSE(expiry_.is_due(now_ + limits::kExpireEvery));
  EXPECT_TRUE(expiry_.is_due(now_ + limits::kExpireAgainAfter));
}

TEST_F(ExpiryTest, AClockThatIsSetBackDoesNotExtendThePause) {
  step();
  EXPECT_FALSE(expiry_.is_due(now_));
  EXPECT_TRUE(expiry_.is_due(now_ - 1h));
}

TEST_F(ExpiryTest, AStepWithAConflictIsRepeated) {
  script_.steps_answer(
      {{.records_after = IdempotencyRecordId{7}}, {.result = {CommitOutcome::conflict, "idempotency_records"}}});
  step();
  now_ = now_ + limits::kExpireEvery;
  EXPECT_EQ(step(), CommitOutcome::conflict);
  EXPECT_EQ(counts_.expiry_failures, 0u);
  now_ = now_ + limits::kExpireEvery;
  EXPECT_TRUE(expiry_.is_due(now_));
  step();
  EXPECT_EQ(last_step().records_after, IdempotencyRecordId{7});
}

TEST_F(ExpiryTest, AnIdleLaneDeletes) {
  EngineWorld world;
  world.execute(world.order_request());
  world.store.script.steps_answer({{.idempotency_records = 5, .at_end = true}});
  world.clock.advance(limits::kExpireAgainAfter);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (world.engine->counts().idempotency_records_expired == 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(world.engine->counts().idempotency_records_expired, 5u);
}

}  // namespace
}  // namespace finality
