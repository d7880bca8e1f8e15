#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

class WebhookEndpointTest : public testing::Test {
 protected:
  WebhookEndpointId add(std::string types = "", std::string secret = "first") {
    const Decision decision =
        world_.run(CreateWebhookEndpoint{kMerchant, "https://shop.example/hooks" + std::to_string(++endpoints_),
                                         std::move(types), Acknowledge::success_body, Secret(std::move(secret))});
    EXPECT_TRUE(decision->created);
    return WebhookEndpointId{decision->object.value};
  }
  const WebhookEndpoint& endpoint(WebhookEndpointId id) { return *find_row(world_.store.endpoints.at(kMerchant), id); }
  // Creates and closes an order, so that the merchant is notified of its end.
  void end_order(bool with_notify_url = false) {
    CreateOrder request = world_.order_request();
    if (!with_notify_url) request.notify_url.reset();
    world_.run(CloseOrder{kMerchant, world_.new_order(request)});
  }
  std::vector<Secret> signed_with() const { return std::get<DeliveryAttempt>(world_.effects.at(0)).secrets; }

  World world_;
  int endpoints_ = 0;
};

TEST_F(WebhookEndpointTest, AUrlIsRegisteredOnce) {
  const CreateWebhookEndpoint command{kMerchant, "https://shop.example/once", "", Acknowledge::status, Secret("s")};
  const WebhookEndpointId first{world_.run(command)->object.value};
  const Decision again = world_.run(command);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().param, "url");
  EXPECT_TRUE(again.error().detail.contains(to_text(first))) << again.error().detail;
  world_.run(DeleteWebhookEndpoint{kMerchant, first});
  EXPECT_TRUE(world_.run(command)) << "a deleted endpoint does not count";
}

TEST_F(WebhookEndpointTest, EverySubscribedEndpointIsNotified) {
  const WebhookEndpointId all = add();
  const WebhookEndpointId some = add("order.succeeded order.closed");
  add("order.succeeded");
  add("order.close");
  end_order();
  ASSERT_EQ(world_.new_deliveries.size(), 2u);
  EXPECT_EQ(world_.delivery(world_.new_deliveries[0]).endpoint_id, all);
  EXPECT_EQ(world_.delivery(world_.new_deliveries[1]).endpoint_id, some);
  EXPECT_EQ(world_.delivery(world_.new_deliveries[0]).acknowledge, Acknowledge::success_body);
}

TEST_F(WebhookEndpointTest, TheNotifyUrlIsSignedWithTheMerchantsSecret) {
  end_order(true);
  ASSERT_EQ(world_.new_deliveries.size(), 1u);
  const Delivery& delivery = world_.delivery(world_.new_deliveries[0]);
  EXPECT_FALSE(delivery.endpoint_id.has_value());
  EXPECT_EQ(delivery.url, "https://shop.example/notify");
  EXPECT_EQ(signed_with(), std::vector{world_.store.merchants[kMerchant].webhook_secret});
}

TEST_F(WebhookEndpointTest, TheBodyShowsTheCurrentStateOfTheOrder) {
  end_order(true);
  const std::string& body = world_.delivery(world_.new_deliveries[0]).body;
  EXPECT_TRUE(body.starts_with(R"({"type":"order.closed","timestamp":"2026-)")) << body;
  EXPECT_NE(body.find(R"("state":"closed")"), std::string::npos);
}

TEST_F(WebhookEndpointTest, BothSecretsSignForADayAfterARotation) {
  const WebhookEndpointId id = add();
  world_.run(RotateWebhookSecret{kMerchant, id, Secret("second")});
  EXPECT_EQ(endpoint(id).version, 2);
  end_order();
  EXPECT_EQ(signed_with(), (std::vector{Secret("second"), Secret("first")}));
  world_.now = world_.now + 24h;
  end_order();
  EXPECT_EQ(signed_with(), std::vector{Secret("second")});
}

TEST_F(WebhookEndpointTest, ADeletedEndpointIsNotNotified) {
  const WebhookEndpointId id = add();
  world_.run(DeleteWebhookEndpoint{kMerchant, id});
  EXPECT_EQ(endpoint(id).state, EndpointState::deleted);
  end_order();
  EXPECT_TRUE(world_.new_deliveries.empty());
  EXPECT_EQ(world_.refusal_of(DeleteWebhookEndpoint{kMerchant, id}), "not_found");
  EXPECT_EQ(world_.refusal_of(RotateWebhookSecret{kMerchant, id, Secret("x")}), "not_found");
}

TEST_F(WebhookEndpointTest, OfAnotherMerchantIsNotFound) {
  const WebhookEndpointId id = add();
  EXPECT_EQ(world_.refusal_of(DeleteWebhookEndpoint{kOtherMerchant, id}), "not_found");
  EXPECT_EQ(world_.refusal_of(RotateWebhookSecret{kOtherMerchant, id, Secret("x")}), "not_found");
}

TEST_F(WebhookEndpointTest, AMerchantHasAtMostSixteen) {
  for (std::size_t i = 0; i < limits::kWebhookEndpointsMax; ++i) add();
  const Decision one_more = world_.run(CreateWebhookEndpoint{kMerchant, "https://shop.example/hooks", "", {}, {}});
  ASSERT_FALSE(one_more.has_value());
  EXPECT_EQ(one_more.error().code, RefusalCode::invalid_request);
  EXPECT_EQ(one_more.error().param, "url");
}

}  // namespace
}  // namespace finality
