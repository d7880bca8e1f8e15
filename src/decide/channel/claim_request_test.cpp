#include "decide/channel/claim_request.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

class ClaimRequestTest : public testing::Test {
 protected:
  World world_;
  OrderId order_ = world_.new_order();
  PaymentId payment_ = world_.start(order_);
  const Payment& payment() const { return world_.payment(payment_); }
  void claim(Time due_at) { world_.run(ClaimRequest{kMerchant, order_, payment_, due_at}); }
};

TEST_F(ClaimRequestTest, QueriesAnOutstandingResultWithoutANewVersion) {
  const std::int64_t version = world_.order(order_).version;
  world_.now = *payment().due_at;
  claim(world_.now);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::query_payment});
  EXPECT_EQ(payment().due_at, world_.now + world_.policy.channel_timeout + limits::kEffectMargin);
  EXPECT_EQ(world_.order(order_).version, version);
  EXPECT_TRUE(world_.events.empty());
}

TEST_F(ClaimRequestTest, HasNoEffectWhenDueAtHasChanged) {
  const Time seen = *payment().due_at;
  world_.now = seen;
  claim(seen);
  claim(seen);
  EXPECT_TRUE(world_.effects.empty()) << "the first claim has changed due_at";
  world_.run(ClaimRequest{kMerchant, order_, PaymentId{99}, seen});
  world_.run(ClaimRequest{kMerchant, OrderId{99}, payment_, seen});
  EXPECT_TRUE(world_.effects.empty());
}

TEST_F(ClaimRequestTest, QueriesAPaymentBeforeClosingIt) {
  world_.record_evidence(payment_, waiting());
  world_.run(CloseOrder{kMerchant, order_});
  world_.now = *payment().due_at;
  claim(world_.now);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::query_payment});
}

TEST(ClaimRequest, SendsNoPaymentWhileTheResultOfAnotherIsOutstanding) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId first = world.start(order);
  world.record_evidence(first, waiting());
  const PaymentId second = world.start(order);
  world.record_evidence(first, unknown());
  world.now = world.now + 1min;
  world.record_evidence(second, not_found());
  ASSERT_EQ(world.payment(second).state, PaymentState::created);
  world.now = *world.payment(second).due_at;
  world.run(ClaimRequest{kMerchant, order, second, world.now});
  EXPECT_EQ(world.calls(), std::vector<ChannelCallKind>{});
  EXPECT_GT(world.payment(second).due_at, world.now) << "it is sent later";
  world.record_evidence(first, waiting());
  world.now = *world.payment(second).due_at;
  world.run(ClaimRequest{kMerchant, order, second, world.now});
  EXPECT_EQ(world.calls(), std::vector{ChannelCallKind::send_payment});
}

TEST(QueryPayment, QueriesIndependentlyOfTheSchedule) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId payment = world.start(order);
  for (const Evidence& evidence : {unknown(), waiting(), paid()}) {
    world.run(QueryPayment{kMerchant, payment});
    EXPECT_EQ(world.calls(), std::vector{ChannelCallKind::query_payment});
    world.record_evidence(payment, evidence);
  }
  world.run(QueryPayment{kMerchant, payment});
  EXPECT_EQ(world.calls(), std::vector{ChannelCallKind::query_payment});
  EXPECT_FALSE(world.payment(payment).due_at.has_value()) << "a final payment stays without due_at";
}

TEST(QueryPayment, OfAnotherMerchantIsNotFoundAndOfAnUnsentPaymentHasNoEffect) {
  World world;
  const PaymentId payment = world.start(world.new_order());
  EXPECT_EQ(world.refusal_of(QueryPayment{kOtherMerchant, payment}), "not_found");
  EXPECT_EQ(world.refusal_of(QueryPayment{kMerchant, PaymentId{99}}), "not_found");
  world.now = world.now + 1min;
  world.record_evidence(payment, not_found());
  world.run(QueryPayment{kMerchant, payment});
  EXPECT_TRUE(world.effects.empty());
}

}  // namespace
}  // namespace finality
