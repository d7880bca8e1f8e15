// The trade of a locally closed payment can still be paid at the channel. Tests that the payment is queried until the
// channel reports its trade as closed.
#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

class ChaseTest : public testing::Test {
 protected:
  ChaseTest() {
    CreateOrder request = world_.order_request();
    request.close_policy = ClosePolicy::local;
    order_ = world_.new_order(request);
    payment_ = world_.start(order_);
  }
  void close() { world_.run(CloseOrder{kMerchant, order_}); }
  const Payment& payment() const { return world_.payment(payment_); }

  World world_;
  OrderId order_;
  PaymentId payment_;
};

TEST_F(ChaseTest, ContinuesUntilTheChannelClosesTheTrade) {
  close();
  EXPECT_EQ(world_.order(order_).state, OrderState::closed);
  EXPECT_TRUE(payment().outstanding_since.has_value()) << "the outstanding result outlives a local close";
  world_.now = world_.now + 1min;
  world_.record_evidence(payment_, unknown());
  EXPECT_TRUE(payment().due_at.has_value());
  world_.record_evidence(payment_, queried(waiting()));
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::close_payment});
  world_.record_evidence(payment_, closed());
  EXPECT_FALSE(payment().due_at.has_value());
  EXPECT_FALSE(payment().close_pending);
  EXPECT_EQ(payment().state, PaymentState::closed);
}

TEST_F(ChaseTest, EndsWhenTheTradeIsNotFoundAfterTheExpiry) {
  close();
  world_.now = world_.now + 1min;
  world_.record_evidence(payment_, not_found());
  EXPECT_TRUE(payment().due_at.has_value()) << "the trade can still be created before the expiry";
  world_.now = world_.order(order_).expires_at + 1min;
  world_.record_evidence(payment_, not_found());
  EXPECT_FALSE(payment().due_at.has_value());
  EXPECT_FALSE(payment().close_pending);
}

TEST_F(ChaseTest, IgnoresNotFoundBeforeTheSendDeadline) {
  const OrderId order = order_;
  world_.record_evidence(payment_, failed());
  world_.now = world_.order(order).expires_at - 1s;
  const PaymentId late = world_.start(order);
  world_.now = world_.order(order).expires_at;
  world_.run(ExpireOrder{kMerchant, order, world_.now});
  ASSERT_EQ(world_.payment(late).state, PaymentState::closed);
  world_.now = world_.now + 1s;
  ASSERT_LT(world_.now, *world_.payment(late).send_deadline);
  world_.record_evidence(late, not_found());
  EXPECT_TRUE(world_.payment(late).due_at.has_value());
}

TEST_F(ChaseTest, IgnoresNotFoundBeforeTheDeadlineOfAResend) {
  world_.policy.channels["sandbox"].repeats_action = {"redirect"};
  world_.now = world_.order(order_).expires_at - 1s;
  world_.record_evidence(payment_, queried(waiting()));
  ASSERT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment}) << "to obtain the payer's action";
  world_.now = world_.order(order_).expires_at;
  world_.run(ExpireOrder{kMerchant, order_, world_.now});
  ASSERT_EQ(payment().state, PaymentState::closed);
  world_.now = world_.now + 1s;
  world_.record_evidence(payment_, not_found());
  EXPECT_TRUE(payment().due_at.has_value()) << "the trade can still be created";
  EXPECT_TRUE(payment().close_pending);
  world_.now = *payment().send_deadline + 1s;
  world_.record_evidence(payment_, not_found());
  EXPECT_FALSE(payment().due_at.has_value());
}

TEST_F(ChaseTest, ALateReceiptIsReversed) {
  close();
  world_.now = world_.now + 1min;
  world_.record_evidence(payment_, paid());
  EXPECT_EQ(payment().state, PaymentState::closed);
  EXPECT_EQ(world_.order(order_).state, OrderState::closed);
  EXPECT_EQ(world_.order_of(payment_).reversals.size(), 1u);
  EXPECT_EQ(world_.balance(AccountKind::suspense), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), 0);
}

}  // namespace
}  // namespace finality
