#include "decide/order/create_order.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

TEST(CreateOrder, IsPendingUntilItsDeadline) {
  World world;
  const OrderId id = world.new_order();
  const Order& order = world.order(id);
  EXPECT_EQ(order.state, OrderState::pending);
  EXPECT_EQ(order.version, 1);
  EXPECT_EQ(order.expires_at, kNow + 1h);
  EXPECT_EQ(order.due_at, order.expires_at);
  EXPECT_EQ(order.amount, kAmount);
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events[0].event, "created");
  EXPECT_FALSE(world.events[0].from_state.has_value());
}

TEST(CreateOrder, TheSameNumberWithTheSameBodyReturnsTheSameOrder) {
  World world;
  const CreateOrder request = world.order_request();
  const Decision first = world.run(request);
  const Decision second = world.run(request);
  EXPECT_TRUE(first->created);
  EXPECT_FALSE(second->created);
  EXPECT_EQ(first->object, second->object);
  EXPECT_EQ(world.store.orders.size(), 1u);
  EXPECT_TRUE(world.events.empty());
}

TEST(CreateOrder, TheNumberOfAnArchivedOrderIsRefused) {
  World world;
  CreateOrder request = world.order_request();
  const Decision first = world.run(request);
  world.store.orders.clear();  // as after archiving: the order is removed, its key is kept
  for (const char* body : {"one body", "another body"}) {
    request.fingerprint = sha256_16(body);
    const Decision again = world.run(request);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, RefusalCode::archived);
    EXPECT_EQ(again.error().param, "merchant_order_no");
    EXPECT_TRUE(again.error().detail.contains(to_text(first->object))) << again.error().detail;
  }
  EXPECT_TRUE(world.store.orders.empty());
}

TEST(CreateOrder, TheSameNumberWithAnotherBodyIsAConflict) {
  World world;
  CreateOrder request = world.order_request();
  world.run(request);
  request.fingerprint = sha256_16("another body");
  const Decision second = world.run(request);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, RefusalCode::merchant_order_no_conflict);
  EXPECT_EQ(second.error().param, "merchant_order_no");
  EXPECT_EQ(world.store.orders.size(), 1u);
}

TEST(CreateOrder, TwoMerchantsCanUseTheSameNumber) {
  World world;
  CreateOrder request = world.order_request();
  const OrderId one = world.new_order(request);
  request.merchant_id = kOtherMerchant;
  EXPECT_NE(world.new_order(request), one);
}

TEST(CreateOrder, WithAPaymentCreatesOneVersionAndOneRequestToTheChannel) {
  World world;
  CreateOrder request = world.order_request();
  request.payment = PaymentFields{.channel = "sandbox", .method = "redirect", .merchant_payment_no = "P-1"};
  const OrderId id = world.new_order(request);
  const OrderAggregate& aggregate = world.aggregate(id);
  EXPECT_EQ(aggregate.order.state, OrderState::processing);
  EXPECT_EQ(aggregate.order.version, 1);
  ASSERT_EQ(aggregate.payments.size(), 1u);
  EXPECT_EQ(aggregate.payments[0].state, PaymentState::processing);
  EXPECT_EQ(world.calls(), std::vector{ChannelCallKind::send_payment});
  for (const Event& event : world.events) EXPECT_EQ(event.root_version, 1);
}

}  // namespace
}  // namespace finality
