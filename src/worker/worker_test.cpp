#include "worker/worker.h"

#include "base/limits.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

constexpr std::size_t kOfOneMerchant = limits::kDeliveriesInFlightMax / 2;
constexpr std::size_t kCallsOfOneMerchant = limits::kChannelCallsInFlightMax / 4;
constexpr std::size_t kWaitingOfOneMerchant = limits::kEffectsQueuedMax / 4;

ChannelCall call_on(ChannelAccountId account, MerchantId merchant = MerchantId{7}) {
  ChannelCall call = channel_call(ChannelCallKind::send_payment);
  call.payment.channel_account_id = account;
  call.payment.merchant_id = merchant;
  return call;
}

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() { channels_.push_back(std::make_unique<FakeChannel>()); }

  Worker& start(Duration stop_wait = Duration{0}) {
    auto started = Worker::start(engine_, store_, channels_, policy_, clock_, client_, io_,
                                 {.version = "1.2.3", .stop_wait = stop_wait});
    if (!started) throw std::runtime_error(started.error().message);
    worker_ = std::move(*started);
    return *worker_;
  }

  FakeEngine engine_;
  FakeStore store_;
  Channels channels_;
  Policy policy_;
  TestClock clock_{kNow};
  FakeClient client_;
  net::IoPool io_{1};
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerTest, PerformsTheEffectsOfCommits) {
  Worker& worker = start();
  worker.perform({channel_call(ChannelCallKind::send_payment), delivery_attempt()});
  ASSERT_TRUE(client_.wait_for(2));
  client_.finish(0, answered(200, "paid"));
  client_.finish(1, answered(200));
  ASSERT_TRUE(engine_.wait_for(2));
  EXPECT_EQ(engine_.command<RecordEvidence>(0).evidence.kind, EvidenceKind::paid);
  EXPECT_TRUE(engine_.command<RecordDelivery>(1).acknowledged);
  EXPECT_EQ(worker.effects_in_flight(), 2u);
  EXPECT_EQ(worker.counters().effects, 2u);
}

TEST_F(WorkerTest, ClaimsDueRowsAutomatically) {
  store_.due.rows = due_rows(ObjectType::payment, 1);
  start();
  ASSERT_TRUE(engine_.wait_for(1));
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, ObjectRef(PaymentId{1}));
  engine_.reply_to(0);
  ASSERT_TRUE(engine_.wait_for(2));  // the row is still due, so a later scan claims it again
}

// The wallet has a channel account but no adapter: every server performs its requests.
TEST_F(WorkerTest, ClaimsDueRowsOfTheWalletAtOnce) {
  policy_.accounts[std::string(kWallet)].id = ChannelAccountId{3};
  store_.due.rows = due_rows(ObjectType::capture, 1);
  store_.due.rows.front().channel_account_id = ChannelAccountId{3};
  start();
  ASSERT_TRUE(engine_.wait_for(1));
  EXPECT_EQ(engine_.command<ClaimRequest>(0).row, ObjectRef(CaptureId{1}));
}

TEST_F(WorkerTest, PerformsCallsAboutAuthorizations) {
  start().perform(
      {authorization_call(AuthorizationCallKind::query_authorization), capture_call(CaptureCallKind::query_capture)});
  ASSERT_TRUE(client_.wait_for(2));
  client_.finish(0, answered(200, "waiting"));
  ASSERT_TRUE(engine_.wait_for(1));
}

TEST_F(WorkerTest, AnEffectWithoutASlotIsPerformedAfterAnotherHasEnded) {
  Worker& worker = start();
  worker.perform(std::vector<Effect>(kOfOneMerchant + 1, delivery_attempt()));
  ASSERT_TRUE(client_.wait_for(kOfOneMerchant));
  EXPECT_EQ(worker.effects_in_flight(), kOfOneMerchant);
  EXPECT_EQ(worker.effects_waiting(), 1u);
  client_.finish(0, answered(200));
  ASSERT_TRUE(engine_.wait_for(1));
  engine_.reply_to(0);
  ASSERT_TRUE(client_.wait_for(kOfOneMerchant + 1));
  EXPECT_EQ(worker.effects_waiting(), 0u);
  EXPECT_EQ(worker.counters().effects_dropped, 0u);
}

TEST_F(WorkerTest, DropsEffectsThatWaitedTooLong) {
  Worker& worker = start();
  worker.perform(std::vector<Effect>(kOfOneMerchant + 2, delivery_attempt()));
  ASSERT_TRUE(client_.wait_for(kOfOneMerchant));
  clock_.set(kNow + limits::kEffectQueueWaitMax + Duration{1});
  client_.finish(0, answered(200));
  ASSERT_TRUE(engine_.wait_for(1));
  engine_.reply_to(0);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (worker.effects_in_flight() == kOfOneMerchant && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(worker.counters().effects_dropped, 2u);
  EXPECT_EQ(client_.count(), kOfOneMerchant);
  EXPECT_EQ(worker.counters().deliveries, 1u) << "the others are in flight";
}

TEST_F(WorkerTest, DropsEffectsWhenTheQueueIsFull) {
  Worker& worker = start();
  constexpr std::size_t kAll = kCallsOfOneMerchant + kWaitingOfOneMerchant;
  worker.perform(std::vector<Effect>(kAll + 1, call_on(ChannelAccountId{1})));
  EXPECT_EQ(worker.counters().effects_dropped, 1u);
  EXPECT_EQ(worker.effects_in_flight(), kCallsOfOneMerchant);
  EXPECT_EQ(worker.effects_waiting(), kWaitingOfOneMerchant);
  const ChannelUse use = worker.use_of(ChannelAccountId{1});
  EXPECT_EQ(use.in_flight, kCallsOfOneMerchant);
  EXPECT_EQ(use.waiting, kWaitingOfOneMerchant);
  EXPECT_EQ(use.dropped, 1u);
}

TEST_F(WorkerTest, AChannelThatNeverRespondsDelaysNoOther) {
  Worker& worker = start();
  for (std::int64_t merchant = 1; merchant <= 20; ++merchant)
    worker.perform(std::vector<Effect>(1'000, call_on(ChannelAccountId{1}, MerchantId{merchant})));
  const std::size_t hanging = worker.effects_in_flight();
  ASSERT_TRUE(client_.wait_for(hanging));
  ASSERT_GT(worker.effects_waiting(), 0u);
  const std::uint64_t dropped = worker.counters().effects_dropped;
  ASSERT_GT(dropped, 0u) << "its queue is full, too";

  worker.perform({call_on(ChannelAccountId{2}, MerchantId{1})});
  EXPECT_EQ(worker.effects_in_flight(), hanging + 1) << "started immediately";
  ASSERT_TRUE(client_.wait_for(hanging + 1));
  EXPECT_EQ(worker.counters().effects_dropped, dropped);
  EXPECT_EQ(worker.use_of(ChannelAccountId{1}).dropped, dropped);
  EXPECT_EQ(worker.use_of(ChannelAccountId{2}).dropped, 0u);
}

TEST_F(WorkerTest, AMerchantsBurstDelaysNoOtherMerchantOnTheSameChannel) {
  Worker& worker = start();
  worker.perform(std::vector<Effect>(5'000, call_on(ChannelAccountId{1}, MerchantId{1})));
  const std::size_t hanging = worker.effects_in_flight();
  ASSERT_TRUE(client_.wait_for(hanging));
  worker.perform({call_on(ChannelAccountId{1}, MerchantId{2})});
  EXPECT_TRUE(client_.wait_for(hanging + 1));
}

TEST_F(WorkerTest, AcceptsNothingAfterStop) {
  Worker& worker = start();
  worker.stop();
  worker.perform({channel_call(ChannelCallKind::query_payment)});
  EXPECT_EQ(worker.counters().effects_dropped, 1u);
  worker.stop();
}

TEST_F(WorkerTest, StoppingWaitsForEvidence) {
  Worker& worker = start(kPatience);
  worker.perform({channel_call(ChannelCallKind::query_payment)});
  ASSERT_TRUE(client_.wait_for(1));
  std::jthread stopping([&] { worker.stop(); });
  client_.finish(0, answered(200, "paid"));
  ASSERT_TRUE(engine_.wait_for(1));
  engine_.reply_to(0);
  stopping.join();
  EXPECT_EQ(engine_.command<RecordEvidence>(0).evidence.kind, EvidenceKind::paid);
}

TEST_F(WorkerTest, AResponseAfterDestructionIsIgnored) {
  start().perform({channel_call(ChannelCallKind::query_payment)});
  ASSERT_TRUE(client_.wait_for(1));
  worker_.reset();
  channels_.clear();
  client_.finish(0, answered(200, "paid"));
  EXPECT_EQ(engine_.count(), 0u);
}

TEST_F(WorkerTest, DoesNotStartWithoutAStore) {
  store_.refuses = true;
  EXPECT_FALSE(Worker::start(engine_, store_, channels_, policy_, clock_, client_, io_, {}));
}

TEST(ScanInterval, FollowsTheTimeScaleWithinLimits) {
  Policy policy;
  EXPECT_EQ(scan_interval(policy), limits::kDueScanEvery);
  policy.time_scale = 5;
  EXPECT_EQ(scan_interval(policy), limits::kDueScanEvery / 5);
  policy.time_scale = 1000;
  EXPECT_EQ(scan_interval(policy), Duration{20});
  policy.time_scale = 0.1;
  EXPECT_EQ(scan_interval(policy), limits::kDueScanEvery);
}

}  // namespace
}  // namespace finality
