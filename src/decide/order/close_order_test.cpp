#include "decide/order/close_order.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

class CloseOrderTest : public testing::Test {
 protected:
  OrderId new_order(ClosePolicy policy) {
    CreateOrder request = world_.order_request();
    request.close_policy = policy;
    return world_.new_order(request);
  }
  Decision close(OrderId id) { return world_.run(CloseOrder{kMerchant, id}); }
  void expire(OrderId id) {
    world_.now = world_.order(id).expires_at;
    world_.run(ExpireOrder{kMerchant, id, world_.now});
  }

  World world_;
};

TEST_F(CloseOrderTest, WithoutPaymentsClosesImmediately) {
  for (const ClosePolicy policy : {ClosePolicy::ask, ClosePolicy::local}) {
    const OrderId id = new_order(policy);
    ASSERT_TRUE(close(id).has_value());
    EXPECT_EQ(world_.order(id).state, OrderState::closed);
    EXPECT_EQ(world_.order(id).close_reason, ClosedReason::cancelled);
    EXPECT_EQ(world_.order(id).closed_at, world_.now);
    EXPECT_FALSE(world_.order(id).due_at.has_value());
    EXPECT_EQ(world_.delivery_types(), "order.closed");
  }
}

TEST_F(CloseOrderTest, WithPolicyAskDependsOnThePaymentsState) {
  struct Row {
    ClosePolicy policy;
    std::string payment;  // state of the payment before the close
    PaymentState payment_after;
    OrderState order_after;
    std::vector<ChannelCallKind> calls;
  };
  const std::vector<ChannelCallKind> query{ChannelCallKind::query_payment};
  const Row rows[] = {
      {ClosePolicy::ask, "created", PaymentState::created, OrderState::processing, {}},
      {ClosePolicy::ask, "processing", PaymentState::processing, OrderState::processing, query},
      {ClosePolicy::ask, "pending", PaymentState::pending, OrderState::pending, query},
      {ClosePolicy::ask, "failed", PaymentState::failed, OrderState::closed, {}},
      {ClosePolicy::ask, "closed", PaymentState::closed, OrderState::closed, {}},
      {ClosePolicy::local, "created", PaymentState::closed, OrderState::closed, query},
      {ClosePolicy::local, "processing", PaymentState::closed, OrderState::closed, query},
      {ClosePolicy::local, "pending", PaymentState::closed, OrderState::closed, query},
      {ClosePolicy::local, "failed", PaymentState::failed, OrderState::closed, {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(name_of(row.policy)) + " " + row.payment);
    const OrderId id = new_order(row.policy);
    const PaymentId payment = world_.start(id);
    if (row.payment == "pending") world_.record_evidence(payment, waiting("T" + row.payment));
    if (row.payment == "failed") world_.record_evidence(payment, failed());
    if (row.payment == "closed") world_.record_evidence(payment, closed());
    if (row.payment == "created") {
      world_.now = world_.now + 1min;
      world_.record_evidence(payment, not_found());
    }
    close(id);
    EXPECT_EQ(world_.payment(payment).state, row.payment_after);
    EXPECT_EQ(world_.order(id).state, row.order_after);
    EXPECT_EQ(world_.calls(), row.calls);
    EXPECT_TRUE(world_.order(id).close_requested);
  }
}

TEST_F(CloseOrderTest, AnUnsentPaymentIsClosedWhenDueInsteadOfSent) {
  const OrderId id = new_order(ClosePolicy::ask);
  const PaymentId payment = world_.start(id);
  world_.now = world_.now + 1min;
  world_.record_evidence(payment, not_found());
  close(id);
  world_.run(ClaimRequest{kMerchant, id, payment, *world_.payment(payment).due_at});
  EXPECT_TRUE(world_.calls().empty());
  EXPECT_EQ(world_.payment(payment).state, PaymentState::closed);
  EXPECT_EQ(world_.order(id).state, OrderState::closed);
  EXPECT_FALSE(world_.payment(payment).due_at.has_value());
}

TEST_F(CloseOrderTest, TheRequestIsKeptWhateverTheChannelReports) {
  const OrderId id = new_order(ClosePolicy::ask);
  const PaymentId payment = world_.start(id);
  close(id);
  world_.record_evidence(payment, waiting());
  EXPECT_EQ(world_.order(id).state, OrderState::pending);
  EXPECT_TRUE(world_.order(id).close_requested);
  EXPECT_EQ(world_.refusal_of(StartPayment{kMerchant, id, {.channel = "sandbox"}}), "order_not_payable");
}

TEST_F(CloseOrderTest, APaymentThatWasPaidMeanwhileSucceeds) {
  const OrderId id = new_order(ClosePolicy::ask);
  const PaymentId payment = world_.start(id);
  close(id);
  world_.record_evidence(payment, paid());
  EXPECT_EQ(world_.order(id).state, OrderState::succeeded);
  EXPECT_EQ(world_.delivery_types(), "order.succeeded");
}

TEST_F(CloseOrderTest, IsIdempotent) {
  const OrderId id = new_order(ClosePolicy::ask);
  world_.start(id);
  close(id);
  const std::int64_t version = world_.order(id).version;
  EXPECT_TRUE(close(id).has_value());
  EXPECT_EQ(world_.order(id).version, version);
  EXPECT_TRUE(world_.calls().empty());
}

TEST_F(CloseOrderTest, AnOrderThatEndedUnpaidIsReturnedUnchanged) {
  const OrderId id = new_order(ClosePolicy::ask);
  close(id);
  EXPECT_EQ(close(id)->object, ObjectRef(id));
  EXPECT_TRUE(world_.new_deliveries.empty());
}

TEST_F(CloseOrderTest, IsRefusedForAPaidOrder) {
  const OrderId id = new_order(ClosePolicy::ask);
  world_.record_evidence(world_.start(id), paid());
  EXPECT_EQ(world_.refusal_of(CloseOrder{kMerchant, id}), "order_succeeded");
  EXPECT_EQ(world_.refusal_of(CloseOrder{kOtherMerchant, id}), "not_found");
  EXPECT_EQ(world_.refusal_of(CloseOrder{kMerchant, OrderId{99}}), "not_found");
}

TEST_F(CloseOrderTest, IsRefusedForAParkedOrder) {
  const OrderId id = new_order(ClosePolicy::ask);
  world_.run(ParkOrder{kMerchant, id, "1: a finding"});
  close(id);
  EXPECT_EQ(world_.order(id).state, OrderState::pending);
  EXPECT_FALSE(world_.order(id).close_requested);
}

TEST_F(CloseOrderTest, AtItsDeadlineAnOrderExpires) {
  const OrderId id = new_order(ClosePolicy::ask);
  expire(id);
  EXPECT_EQ(world_.order(id).state, OrderState::closed);
  EXPECT_EQ(world_.order(id).close_reason, ClosedReason::expired);
}

TEST_F(CloseOrderTest, AtItsDeadlineAnOrderWithPolicyAskWaitsForTheChannel) {
  const OrderId id = new_order(ClosePolicy::ask);
  const PaymentId payment = world_.start(id);
  world_.record_evidence(payment, waiting());
  expire(id);
  EXPECT_EQ(world_.order(id).state, OrderState::pending);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::query_payment});
  world_.record_evidence(payment, closed());
  EXPECT_EQ(world_.order(id).state, OrderState::closed);
  EXPECT_EQ(world_.order(id).close_reason, ClosedReason::expired);
}

TEST_F(CloseOrderTest, AnExpiryWithAnotherDueAtHasNoEffect) {
  const OrderId id = new_order(ClosePolicy::ask);
  world_.run(ExpireOrder{kMerchant, id, world_.order(id).expires_at - 1s});
  EXPECT_EQ(world_.order(id).state, OrderState::pending);
  const PaymentId payment = world_.start(id);
  world_.record_evidence(payment, paid());
  const Time deadline = world_.order(id).expires_at;
  world_.run(ExpireOrder{kMerchant, id, deadline});
  EXPECT_EQ(world_.order(id).state, OrderState::succeeded);
  world_.run(ExpireOrder{kMerchant, OrderId{99}, deadline});
}

}  // namespace
}  // namespace finality
