#include "worker/due_scan.h"

#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

constexpr SlotKey kDelivery{EffectKind::delivery, {}, MerchantId{7}};
constexpr SlotKey kCall{EffectKind::channel_call, ChannelAccountId{1}, MerchantId{7}};

/// Returns `count` due rows of that channel account. Their due times are one millisecond apart; the last row has been
/// due for one millisecond.
std::vector<DueRow> rows_on(ChannelAccountId account, ObjectType type, std::size_t count) {
  std::vector<DueRow> rows = due_rows(type, count);
  for (std::size_t i = 0; i < count; ++i) {
    rows[i].due_at = kNow - Duration{static_cast<Duration::rep>(count - i)};
    rows[i].channel_account_id = account;
  }
  return rows;
}

class DueScanTest : public testing::Test {
 protected:
  ~DueScanTest() override { in_flight_->close(); }
  void rows(std::vector<DueRow> due) { store_.due.rows = std::move(due); }
  /// Acquires slots until at most `left` more claims with the key have room.
  void fill(const SlotKey& key, std::size_t left = 0) {
    while (in_flight_->room_for_claims(key) > left)
      in_flight_->admit_or_wait(key, [this](Permit permit) { permits_.push_back(std::move(permit)); });
  }

  FakeStore store_;
  FakeEngine engine_;
  TestClock clock_{kNow};
  std::shared_ptr<InFlightEffects> in_flight_ = InFlightEffects::create();
  std::shared_ptr<WorkerCounters> counters_ = std::make_shared<WorkerCounters>();
  DueScan scan_{engine_,    store_,   *store_.open_reader(), clock_, {ChannelAccountId{1}, ChannelAccountId{2}},
                in_flight_, counters_};
  std::vector<Permit> permits_;
  std::stop_source stop_;
};

TEST_F(DueScanTest, ClaimsDueRows) {
  rows({{OrderId{1}, MerchantId{7}, OrderId{1}, kNow},
        {PaymentId{2}, MerchantId{7}, OrderId{1}, kNow},
        {DeliveryId{3}, MerchantId{7}, OrderId{1}, kNow},
        {DeliveryId{4}, MerchantId{7}, OrderId{1}, kNow + Duration{1}}});
  EXPECT_FALSE(scan_.scan());
  ASSERT_EQ(engine_.count(), 3u);
  EXPECT_EQ(engine_.command<ExpireOrder>(0).order_id, OrderId{1});
  EXPECT_EQ(engine_.command<ClaimRequest>(1).row, ObjectRef(PaymentId{2}));
  EXPECT_EQ(engine_.command<ClaimDelivery>(2).delivery_id, DeliveryId{3});
}

TEST_F(DueScanTest, DoesNotClaimARowTwiceWhileItsClaimIsQueued) {
  rows(due_rows(ObjectType::payment, 2));
  scan_.scan();
  scan_.scan();
  EXPECT_EQ(engine_.count(), 2u);
  engine_.reply_to(0);
  scan_.scan();
  ASSERT_EQ(engine_.count(), 3u);
  EXPECT_EQ(engine_.command<ClaimRequest>(2).row, ObjectRef(PaymentId{1}));
}

TEST_F(DueScanTest, ABusyEngineEndsTheScan) {
  rows(due_rows(ObjectType::payment, 5));
  engine_.answers = {Reply{}, refused(RefusalCode::busy)};
  scan_.scan();
  EXPECT_EQ(engine_.count(), 2u);
  EXPECT_EQ(counters_->claims_refused, 1u);
  scan_.scan();
  EXPECT_EQ(engine_.count(), 7u);
}

TEST_F(DueScanTest, ContinuesImmediatelyAfterAFullPageWasClaimed) {
  rows(due_rows(ObjectType::order, limits::kDueRowsPerScan + 1));
  engine_.answers = std::deque<Reply>(limits::kDueRowsPerScan);
  EXPECT_TRUE(scan_.scan());
  EXPECT_EQ(engine_.count(), limits::kDueRowsPerScan);
  EXPECT_TRUE(scan_.rest(std::chrono::hours(1), true, stop_.get_token()));
}

TEST_F(DueScanTest, WaitsWhenNoClaimOfAFullPageWasExecuted) {
  rows(due_rows(ObjectType::order, limits::kDueRowsPerScan));
  engine_.answers = std::deque<Reply>(limits::kDueRowsPerScan, refused(RefusalCode::not_found));
  EXPECT_TRUE(scan_.scan());
  EXPECT_FALSE(scan_.rest(Duration{0}, true, stop_.get_token()));
}

TEST_F(DueScanTest, AStopRequestEndsTheWait) {
  stop_.request_stop();
  EXPECT_FALSE(scan_.rest(std::chrono::hours(1), false, stop_.get_token()));
}

// If the webhook server of one merchant fails, the orders and payments of other merchants must still be claimed.
TEST_F(DueScanTest, APageFullOfBlockedDeliveriesHidesNoOtherTypes) {
  fill(kDelivery);
  std::vector<DueRow> due = due_rows(ObjectType::delivery, limits::kDueRowsPerScan + 1);
  due.push_back({PaymentId{90'001}, MerchantId{7}, OrderId{5}, kNow});
  due.push_back({OrderId{90'002}, MerchantId{7}, OrderId{90'002}, kNow});
  rows(due);
  EXPECT_FALSE(scan_.scan()) << "an immediate rescan would find nothing new";
  ASSERT_EQ(engine_.count(), 2u);
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, ObjectRef(PaymentId{90'001}));
  EXPECT_EQ(engine_.command<ExpireOrder>(1).order_id, OrderId{90'002});
}

TEST_F(DueScanTest, APageFullOfOneMerchantsDeliveriesHidesNoOtherMerchants) {
  fill(kDelivery);
  constexpr std::size_t kOneScan = limits::kDuePagesPerScan * limits::kDueRowsPerScan;
  std::vector<DueRow> due = rows_on({}, ObjectType::delivery, kOneScan);
  due.push_back({DeliveryId{90'001}, MerchantId{8}, OrderId{5}, kNow});
  rows(due);
  EXPECT_FALSE(scan_.scan()) << "an immediate rescan would find nothing new";
  EXPECT_EQ(engine_.count(), 0u);
  EXPECT_FALSE(scan_.scan()) << "the scan continues after the previous one";
  ASSERT_EQ(engine_.count(), 1u);
  EXPECT_EQ(engine_.command<ClaimDelivery>(0).delivery_id, DeliveryId{90'001});

  std::exchange(permits_, {}).clear();  // releases all slots, so that the queued effects start
  scan_.scan();
  ASSERT_GT(engine_.count(), 1u) << "the next scan starts from the oldest row";
  EXPECT_EQ(engine_.command<ClaimDelivery>(1).delivery_id, (due.front().row));
}

TEST_F(DueScanTest, MoreThanAPageOfRowsWithOneDueTimeIsSkipped) {
  fill(kDelivery);
  std::vector<DueRow> due = due_rows(ObjectType::delivery, 2 * limits::kDueRowsPerScan);
  for (DueRow& row : due) row.due_at = kNow - Duration{1};
  due.push_back({DeliveryId{90'001}, MerchantId{8}, OrderId{5}, kNow - Duration{1}});
  due.push_back({DeliveryId{90'002}, MerchantId{8}, OrderId{5}, kNow});
  rows(due);
  scan_.scan();
  EXPECT_EQ(engine_.count(), 2u);
}

// Configurations of servers can differ. A server without the channel account must first leave the row to servers that
// have the account.
TEST_F(DueScanTest, RowsOfAnAccountThatIsNotServedHereAreLeftToOtherServersAtFirst) {
  std::vector<DueRow> due = rows_on(ChannelAccountId{3}, ObjectType::refund, limits::kDueRowsPerScan);
  due.push_back({RefundId{90'001}, MerchantId{7}, OrderId{5}, kNow, kCall.account});
  rows(due);
  EXPECT_FALSE(scan_.scan());
  ASSERT_EQ(engine_.count(), 1u);
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, due.back().row);
  clock_.advance(limits::kOtherNodesFirst);
  EXPECT_TRUE(scan_.scan()) << "an account that no server serves must become visible";
  EXPECT_GT(engine_.count(), limits::kDueRowsPerScan);
}

// If one channel is slow, rows of every type of other channels must still be claimed.
TEST_F(DueScanTest, APageFullOfRowsOfABlockedAccountHidesNoOthers) {
  fill(kCall);
  for (const ObjectType type : {ObjectType::payment, ObjectType::authorization, ObjectType::capture, ObjectType::refund,
                                ObjectType::reversal}) {
    std::vector<DueRow> due = rows_on(kCall.account, type, limits::kDueRowsPerScan + 1);
    due.push_back({ObjectRef(type, 90'001), MerchantId{7}, OrderId{5}, kNow, ChannelAccountId{2}});
    rows(due);
    const std::size_t before = engine_.count();
    EXPECT_FALSE(scan_.scan());
    ASSERT_EQ(engine_.count(), before + 1) << "blocked rows are not claimed";
    EXPECT_EQ(engine_.command<ClaimRequest>(before).row, due.back().row);
  }
}

TEST_F(DueScanTest, RowsOfAnotherMerchantOnABlockedAccountAreClaimed) {
  fill(kCall);
  std::vector<DueRow> due = rows_on(kCall.account, ObjectType::payment, 2 * limits::kDueRowsPerScan);
  due.push_back({PaymentId{90'001}, MerchantId{8}, OrderId{5}, kNow, kCall.account});
  rows(due);
  scan_.scan();
  ASSERT_EQ(engine_.count(), 1u);
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, ObjectRef(PaymentId{90'001}));
}

TEST_F(DueScanTest, BlockedRowsAreClaimedOnceTheAccountHasSlots) {
  fill(kCall);
  rows(rows_on(kCall.account, ObjectType::payment, limits::kDueRowsPerScan + 1));
  scan_.scan();
  EXPECT_EQ(engine_.count(), 0u);
  std::exchange(permits_, {}).clear();  // releases all slots, so that the queued effects start
  std::exchange(permits_, {}).clear();
  scan_.scan();
  EXPECT_EQ(engine_.count(), limits::kDueRowsPerScan);
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, ObjectRef(PaymentId{1})) << "oldest first";
}

TEST_F(DueScanTest, RowsDoNotJoinAQueueInWhichTheyWouldBeDropped) {
  while (Permit permit = in_flight_->admit(kCall)) permits_.push_back(std::move(permit));
  in_flight_->count_dropped(kCall);
  rows(rows_on(kCall.account, ObjectType::payment, 5));
  scan_.scan();
  EXPECT_EQ(engine_.count(), 0u);
  permits_.pop_back();
  scan_.scan();
  EXPECT_EQ(engine_.count(), 1u) << "as many as there are slots";
}

TEST_F(DueScanTest, QueuedClaimsOfOneAccountTakeNoRoomFromAnother) {
  fill(kCall, 2);
  std::vector<DueRow> due = rows_on(kCall.account, ObjectType::payment, 5);
  for (std::int64_t i = 0; i < 5; ++i)
    due.push_back({RefundId{100 + i}, MerchantId{7}, OrderId{5}, kNow, ChannelAccountId{2}});
  fill({EffectKind::channel_call, ChannelAccountId{2}, MerchantId{7}}, 3);
  rows(due);
  scan_.scan();
  EXPECT_EQ(engine_.count(), 5u) << "two payments and three refunds";
}

TEST_F(DueScanTest, DoesNotClaimRowsWhoseEffectsHaveNoRoom) {
  fill(kDelivery);
  std::vector<DueRow> due = due_rows(ObjectType::delivery, 2);
  due.push_back({PaymentId{9}, MerchantId{7}, OrderId{5}, kNow});
  rows(due);
  scan_.scan();
  ASSERT_EQ(engine_.count(), 1u);
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, ObjectRef(PaymentId{9}));
  EXPECT_EQ(counters_->claims_postponed, 2u);

  fill(kCall);
  rows(
      {{PaymentId{10}, MerchantId{7}, OrderId{5}, kNow, kCall.account}, {OrderId{5}, MerchantId{7}, OrderId{5}, kNow}});
  scan_.scan();
  ASSERT_EQ(engine_.count(), 2u);
  EXPECT_EQ(engine_.command<ExpireOrder>(1).order_id, OrderId{5});
}

TEST_F(DueScanTest, QueuedClaimsTakeRoom) {
  fill(kCall, 2);
  rows(rows_on(kCall.account, ObjectType::payment, 5));
  scan_.scan();
  EXPECT_EQ(engine_.count(), 2u);
}

TEST_F(DueScanTest, AFailedReaderIsReplaced) {
  rows(due_rows(ObjectType::payment, 1));
  store_.due.fails = true;
  EXPECT_FALSE(scan_.scan());
  store_.refuses = true;
  EXPECT_FALSE(scan_.scan());
  EXPECT_EQ(counters_->scans_failed, 2u);
  EXPECT_EQ(engine_.count(), 0u);
  store_.due.fails = false;
  store_.refuses = false;
  scan_.scan();
  EXPECT_EQ(engine_.count(), 1u);
}

TEST_F(DueScanTest, AReplyMayArriveAfterTheScanIsDestroyed) {
  rows(due_rows(ObjectType::payment, 1));
  std::optional<DueScan> scan(std::in_place, engine_, store_, *store_.open_reader(), clock_,
                              std::set<ChannelAccountId>{}, in_flight_, counters_);
  scan->scan();
  scan.reset();
  engine_.reply_to(0);
}

}  // namespace
}  // namespace finality
