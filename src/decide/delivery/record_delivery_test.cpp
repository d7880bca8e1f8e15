#include "decide/delivery/record_delivery.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

class DeliveryTest : public testing::Test {
 protected:
  DeliveryTest() {
    world_.run(CreateWebhookEndpoint{kMerchant, "https://shop.example/hooks", "", Acknowledge::status, Secret("s")});
    CreateOrder request = world_.order_request();
    request.notify_url.reset();
    const OrderId order = world_.new_order(request);
    world_.run(CloseOrder{kMerchant, order});
    id_ = world_.new_deliveries.at(0);
  }
  void record_result(RecordDelivery result) {
    result.merchant_id = kMerchant;
    result.delivery_id = id_;
    world_.run(result);
  }
  void time_out() { record_result({.error = "no answer"}); }
  const Delivery& delivery() const { return world_.delivery(id_); }
  const std::vector<Case>& cases() const { return world_.store.deliveries.at(id_).cases; }
  const WebhookEndpoint& endpoint() { return world_.store.endpoints.at(kMerchant).at(0); }
  Duration pause() const { return *delivery().due_at - world_.now; }

  World world_;
  DeliveryId id_;
};

TEST_F(DeliveryTest, IsAttemptedImmediatelyAndDueAgainWithoutAResult) {
  EXPECT_EQ(delivery().state, DeliveryState::pending);
  EXPECT_EQ(delivery().due_at, world_.now + world_.policy.webhook_timeout + limits::kEffectMargin);
  ASSERT_EQ(world_.effects.size(), 1u);
  EXPECT_EQ(std::get<DeliveryAttempt>(world_.effects[0]).secrets, std::vector{Secret("s")});
}

TEST_F(DeliveryTest, EndsWhenAcknowledged) {
  record_result({.acknowledged = true, .status = 200});
  EXPECT_EQ(delivery().state, DeliveryState::delivered);
  EXPECT_EQ(delivery().attempts, 1);
  EXPECT_EQ(delivery().delivered_at, world_.now);
  EXPECT_FALSE(delivery().due_at.has_value());
}

TEST_F(DeliveryTest, FollowsTheScheduleAndIsThenExhaustedWithOneCase) {
  std::vector<Duration> pauses;
  for (int i = 0; i < 7; ++i) {
    time_out();
    EXPECT_EQ(delivery().state, DeliveryState::pending);
    pauses.push_back(pause());
  }
  EXPECT_EQ(pauses, (std::vector<Duration>{4min, 10min, 10min, 1h, 2h, 6h, 15h}));
  time_out();
  EXPECT_EQ(delivery().state, DeliveryState::exhausted);
  EXPECT_FALSE(delivery().due_at.has_value());
  ASSERT_EQ(cases().size(), 1u);
  EXPECT_EQ(cases()[0].kind, CaseKind::delivery_exhausted);
  EXPECT_EQ(delivery().attempts, 8);
}

TEST_F(DeliveryTest, TheScheduleIsScaled) {
  world_.policy.time_scale = 100;
  time_out();
  EXPECT_EQ(pause(), Duration(2400));
}

TEST_F(DeliveryTest, HonoursRetryAfter) {
  record_result({.status = 503, .error = "status 503", .retry_after = 30min});
  EXPECT_EQ(pause(), 30min);
  record_result({.status = 503, .error = "status 503", .retry_after = 1s});
  EXPECT_EQ(pause(), 10min) << "never earlier than the schedule";
  EXPECT_EQ(delivery().last_status, 503);
  EXPECT_EQ(delivery().last_error, "status 503");
}

TEST_F(DeliveryTest, A410EndsItAndDisablesTheEndpoint) {
  record_result({.status = 410, .error = "status 410", .gone = true});
  EXPECT_EQ(delivery().state, DeliveryState::exhausted);
  EXPECT_EQ(cases().size(), 1u);
  EXPECT_EQ(endpoint().state, EndpointState::disabled);
  world_.run(CloseOrder{kMerchant, world_.new_order()});
  for (const DeliveryId id : world_.new_deliveries) EXPECT_FALSE(world_.delivery(id).endpoint_id.has_value());
}

TEST_F(DeliveryTest, ALateAcknowledgementCounts) {
  for (int i = 0; i < 8; ++i) time_out();
  record_result({.acknowledged = true, .status = 204});
  EXPECT_EQ(delivery().state, DeliveryState::delivered);
  time_out();
  EXPECT_EQ(delivery().state, DeliveryState::delivered) << "delivered is final";
}

TEST_F(DeliveryTest, OfAnUnknownDeliveryIsNotFound) {
  EXPECT_EQ(world_.refusal_of(RecordDelivery{.merchant_id = kMerchant, .delivery_id = DeliveryId{99}}), "not_found");
}

TEST_F(DeliveryTest, ClaimingItMakesOneAttempt) {
  const Time seen = *delivery().due_at;
  world_.now = seen;
  world_.run(ClaimDelivery{kMerchant, id_, seen});
  EXPECT_EQ(world_.effects.size(), 1u);
  EXPECT_EQ(delivery().due_at, world_.now + world_.policy.webhook_timeout + limits::kEffectMargin);
  world_.run(ClaimDelivery{kMerchant, id_, seen});
  EXPECT_TRUE(world_.effects.empty()) << "due_at has changed";
  EXPECT_EQ(delivery().version, 1) << "a claim makes no version";
}

// ---- resend ----

TEST_F(DeliveryTest, ResendMakesAnAttemptInAnyState) {
  const auto resend = [this] { return world_.run(ResendDelivery{kMerchant, id_}); };
  resend();
  EXPECT_EQ(world_.effects.size(), 1u) << "pending";
  record_result({.acknowledged = true, .status = 200});
  resend();
  EXPECT_EQ(world_.effects.size(), 1u) << "delivered";
  EXPECT_EQ(delivery().state, DeliveryState::delivered);
  EXPECT_FALSE(delivery().due_at.has_value());
}

TEST_F(DeliveryTest, ResendOfAnExhaustedDeliveryMakesOneMoreAttempt) {
  for (int i = 0; i < 8; ++i) time_out();
  world_.run(ResendDelivery{kMerchant, id_});
  EXPECT_EQ(delivery().state, DeliveryState::pending);
  EXPECT_EQ(world_.effects.size(), 1u);
  EXPECT_TRUE(delivery().due_at.has_value()) << "due again without a result";
  time_out();
  EXPECT_EQ(delivery().state, DeliveryState::exhausted);
  EXPECT_EQ(cases().size(), 1u) << "added to the open case";
}

TEST_F(DeliveryTest, NoDeliveryIsResentToADisabledEndpoint) {
  record_result({.status = 410, .error = "status 410", .gone = true});
  EXPECT_EQ(world_.refusal_of(ResendDelivery{kMerchant, id_}), "illegal_transition");
  const CaseId id = cases().at(0).id;
  ASSERT_TRUE(world_.run(ProposeResolution{kMerchant, id_, id, "resend", "they say it works again", "key_a"}));
  ASSERT_TRUE(world_.run(world_.reviewed(ApproveResolution{kMerchant, id_, id, "key_b", {}, {}, {}})));
  EXPECT_TRUE(world_.effects.empty());
  EXPECT_EQ(delivery().state, DeliveryState::given_up);
}

TEST_F(DeliveryTest, ResendIsRefusedOnceGivenUpAndToOtherMerchants) {
  EXPECT_EQ(world_.refusal_of(ResendDelivery{kOtherMerchant, id_}), "not_found");
  EXPECT_EQ(world_.refusal_of(ResendDelivery{kMerchant, DeliveryId{99}}), "not_found");
  world_.store.deliveries.at(id_).delivery.state = DeliveryState::given_up;
  EXPECT_EQ(world_.refusal_of(ResendDelivery{kMerchant, id_}), "illegal_transition");
}

}  // namespace
}  // namespace finality
