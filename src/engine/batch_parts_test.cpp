// Tests of batches whose store has a part that fails. The tests count the attempts to use the part; each attempt costs
// the lane at most the time limit of a statement.
#include "engine/test_batches.h"

namespace finality {
namespace {

using namespace test;

constexpr MerchantId kThird{9};
using Statuses = std::vector<int>;

class BatchPartsTest : public testing::Test {
 protected:
  BatchPartsTest() {
    const World rows;
    script().look([&](TestStore& all) {
      all.merchants = rows.store.merchants;
      all.merchants[kThird] = all.merchants[kMerchant];
      all.merchants[kThird].id = kThird;
      return 0;
    });
  }
  StoreScript& script() { return store_.script; }
  /// A command of kMerchant that also uses the part of kThird. It is refused, because its case does not exist.
  static Request with_two_parts() {
    return {.command = ProposeResolution{kMerchant, OrderId{1}, CaseId{1}, "assign", "note", "key", kThird},
            .merchant_id = kMerchant};
  }
  /// Creates an order of kMerchant and changes its row, so that closing it violates an invariant. Returns the command
  /// that closes it.
  Request violating() {
    const OrderId order{batches_.run({batches_.order_of(kMerchant)})[0].object->value};
    script().look([&](TestStore& rows) {
      rows.orders.at(order).order.paid_amount = 5;
      return 0;
    });
    return {.command = CloseOrder{kMerchant, order}, .merchant_id = kMerchant};
  }
  std::size_t order_count() {
    return script().look([](TestStore& rows) { return rows.orders.size(); });
  }

  ScriptedStore store_;
  Batches batches_{must_open()};

 private:
  std::unique_ptr<Session> must_open() { return std::move(*store_.open_session()); }
};

TEST_F(BatchPartsTest, OtherMerchantsOfTheBatchAreCommitted) {
  for (const bool at_commit : {false, true}) {
    SCOPED_TRACE(at_commit);
    script().fail_part(kMerchant, at_commit);
    EXPECT_EQ(batches_.create_orders({kMerchant, kOtherMerchant, kThird, kMerchant}), (Statuses{503, 201, 201, 503}));
    script().restore_parts();
    batches_.clock.advance(limits::kStorePartRefusedFor);
    EXPECT_EQ(batches_.create_orders({kMerchant}), Statuses{201});
  }
  EXPECT_EQ(order_count(), 6u);
  EXPECT_EQ(batches_.counts.part_refusals, 4u);
}

TEST_F(BatchPartsTest, ARefusedCommandHasAStorageErrorAndCanBeRepeatedOnce) {
  script().fail_part(kMerchant);
  const Request request = batches_.order_of(kMerchant);
  const std::vector<Reply> refused = batches_.run({request, batches_.order_of(kThird)});
  ASSERT_TRUE(refused[0].refusal);
  EXPECT_EQ(refused[0].refusal->code, RefusalCode::storage_write_error);
  EXPECT_NE(refused[0].request, nullptr) << "the caller cannot submit the request again";
  script().restore_parts();
  batches_.clock.advance(limits::kStorePartRefusedFor);
  const std::vector<Reply> replies = batches_.run({request, request});
  EXPECT_EQ(replies[0].object, replies[1].object);
  EXPECT_TRUE(replies[1].replayed);
  EXPECT_EQ(order_count(), 2u);
}

TEST_F(BatchPartsTest, AFailedPartIsTriedOncePerPause) {
  script().fail_part(kMerchant);
  const std::vector<MerchantId> all = {kMerchant, kOtherMerchant, kMerchant, kThird};
  EXPECT_EQ(batches_.create_orders(all), (Statuses{503, 201, 503, 201}));
  EXPECT_EQ(script().part_failures(), 2) << "the batch, and then the commands of the part alone";
  for (int window = 1; window <= 3; ++window) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(batches_.create_orders(all), (Statuses{503, 201, 503, 201}));
    EXPECT_EQ(script().part_failures(), 1 + window);
    batches_.clock.advance(limits::kStorePartRefusedFor);
  }
  EXPECT_EQ(batches_.counts.part_failures, 3u);
}

TEST_F(BatchPartsTest, ABatchOfOneFailedPartIsNotRepeated) {
  script().fail_part(kMerchant);
  EXPECT_EQ(batches_.create_orders({kMerchant, kMerchant}), (Statuses{503, 503}));
  EXPECT_EQ(script().part_failures(), 1);
}

TEST_F(BatchPartsTest, APartThatFailsWhileAnotherHasFailedIsSeparatedToo) {
  script().fail_part(kMerchant);
  batches_.create_orders({kMerchant});
  script().fail_part(kThird);
  EXPECT_EQ(batches_.create_orders({kMerchant, kOtherMerchant, kThird}), (Statuses{503, 201, 503}));
  const int tries = script().part_failures();
  EXPECT_EQ(batches_.create_orders({kMerchant, kOtherMerchant, kThird}), (Statuses{503, 201, 503}));
  EXPECT_EQ(script().part_failures(), tries);
}

TEST_F(BatchPartsTest, CommandsOfAMerchantKeepTheirOrder) {
  script().fail_part(kOtherMerchant);
  const std::vector<Request> requests = {batches_.order_of(kMerchant), with_two_parts(), batches_.order_of(kMerchant),
                                         batches_.order_of(kOtherMerchant), batches_.order_of(kThird)};
  EXPECT_EQ(batches_.run(requests)[3].status, 503);
  EXPECT_EQ(batches_.replied, (std::vector<std::size_t>{0, 3, 4, 1, 2})) << "small groups first";
}

TEST_F(BatchPartsTest, CommandsOfAMerchantKeepTheirOrderInTheBatchThatTriesAFailedPartAgain) {
  script().fail_part(kThird);
  batches_.create_orders({kThird});
  script().restore_parts();
  batches_.clock.advance(limits::kStorePartRefusedFor);
  const std::vector<Request> requests = {batches_.order_of(kOtherMerchant), with_two_parts(),
                                         batches_.order_of(kMerchant)};
  EXPECT_EQ(batches_.run(requests)[2].status, 201);
  EXPECT_EQ(batches_.replied, (std::vector<std::size_t>{0, 1, 2}));
}

// The second command of kMerchant is in the group of both parts only to keep its order.
TEST_F(BatchPartsTest, ACommandIsNotRefusedBecauseAnEarlierOneOfItsMerchantUsesAFailedPart) {
  script().fail_part(kThird);
  const std::vector<Request> requests = {with_two_parts(), batches_.order_of(kMerchant),
                                         batches_.order_of(kOtherMerchant), batches_.order_of(kThird)};
  const std::vector<Reply> replies = batches_.run(requests);
  EXPECT_EQ(replies[0].status, 503);
  EXPECT_EQ(replies[1].status, 201);
  EXPECT_EQ(replies[2].status, 201);
  EXPECT_EQ(replies[3].status, 503);
  EXPECT_EQ(batches_.run({with_two_parts(), batches_.order_of(kMerchant)})[1].status, 201);
}

TEST_F(BatchPartsTest, AnOrderIsParkedBeforeTheCommandsOfTheNextPart) {
  const Request close = violating();
  script().fail_part(kOtherMerchant);
  const std::vector<Reply> replies =
      batches_.run({close, batches_.order_of(kOtherMerchant), batches_.order_of(kThird)});
  EXPECT_EQ(replies[0].refusal->code, RefusalCode::illegal_transition);
  EXPECT_EQ(replies[1].status, 503);
  EXPECT_EQ(replies[2].status, 201);
  EXPECT_EQ(batches_.counts.parked, 1u);
  EXPECT_TRUE(batches_.first.empty()) << "must run before the batch of the next part";
  EXPECT_TRUE(script().look(
      [&](TestStore& rows) { return rows.orders.at(std::get<CloseOrder>(close.command).order_id).order.parked; }));
}

TEST_F(BatchPartsTest, AfterAProbeThatSucceedsThePartIsUsedWithTheOthersAgain) {
  script().fail_part(kMerchant);
  batches_.create_orders({kMerchant});
  script().restore_parts();
  EXPECT_EQ(batches_.create_orders({kMerchant, kThird}), (Statuses{503, 201})) << "before the pause ends";
  batches_.clock.advance(limits::kStorePartRefusedFor);
  EXPECT_EQ(batches_.create_orders({kMerchant, kThird}), (Statuses{201, 201}));
  const std::uint64_t batches = batches_.counts.batches;
  EXPECT_EQ(batches_.create_orders({kMerchant, kThird}), (Statuses{201, 201}));
  EXPECT_EQ(batches_.counts.batches, batches + 1);
}

TEST_F(BatchPartsTest, AClockThatIsSetBackDoesNotProlongThePause) {
  script().fail_part(kMerchant);
  batches_.create_orders({kMerchant});
  script().restore_parts();
  batches_.clock.advance(-std::chrono::hours(1));
  EXPECT_EQ(batches_.create_orders({kMerchant}), Statuses{201});
}

TEST_F(BatchPartsTest, AFailureOfTheWholeStoreIsTriedOnce) {
  script().fail_part(kMerchant);
  batches_.create_orders({kMerchant});
  batches_.clock.advance(limits::kStorePartRefusedFor);
  script().restore_parts();
  script().fail_loads(true);
  const std::uint64_t batches = batches_.counts.batches;
  EXPECT_EQ(batches_.create_orders({kMerchant, kOtherMerchant, kThird}), (Statuses{503, 503, 503}));
  EXPECT_EQ(batches_.counts.batches, batches + 1);
}

TEST_F(BatchPartsTest, WhileAPartHasFailedNothingIsExpired) {
  script().fail_part(kMerchant);
  batches_.create_orders({kMerchant});
  batches_.expire_some();
  EXPECT_TRUE(script().steps().empty());
}

TEST(FailedPartsTest, TheFailureOfSeveralPartsRefusesOnlyCommandsThatUseAllOfThem) {
  using enum FailedParts::Access;
  FailedParts parts;
  parts.record_failure({1, 2}, kNow);
  EXPECT_EQ(parts.access({1, 2}, kNow), refused);
  EXPECT_EQ(parts.access({1, 2, 3}, kNow), refused);
  EXPECT_EQ(parts.access({1}, kNow), open);
  EXPECT_EQ(parts.access({}, kNow), open);
  EXPECT_EQ(parts.access({1, 2}, kNow + limits::kStorePartRefusedFor), probe);
  EXPECT_FALSE(parts.record_success({1}));
  EXPECT_TRUE(parts.record_success({1, 2, 3}));
  EXPECT_FALSE(parts.any(kNow));
}

TEST(FailedPartsTest, APartThatNoCommandUsesAnyMoreIsForgotten) {
  FailedParts parts;
  parts.record_failure({1}, kNow);
  EXPECT_TRUE(parts.any(kNow + limits::kStorePartRefusedFor));
  EXPECT_FALSE(parts.any(kNow + 12 * limits::kStorePartRefusedFor));
  EXPECT_EQ(parts.access({1}, kNow + 12 * limits::kStorePartRefusedFor), FailedParts::Access::open);
}

}  // namespace
}  // namespace finality
