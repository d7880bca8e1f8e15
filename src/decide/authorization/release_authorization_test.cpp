#include "decide/authorization/release_authorization.h"

#include <functional>

#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

std::string_view result_of(Authorizations& world, OrderId order) {
  const Decision decision = world.run(ReleaseAuthorization{kMerchant, order, world.authorization(order).id});
  return decision ? std::string_view("ok") : name_of(decision.error().code);
}

TEST(ReleaseAuthorization, RequestsTheReleaseOfWhatIsHeld) {
  Authorizations world;
  const OrderId order = world.held_order();
  EXPECT_EQ(result_of(world, order), "ok");
  const Authorization& row = world.authorization(order);
  EXPECT_EQ(row.state, AuthorizationState::releasing);
  EXPECT_EQ(row.end_reason, EndReason::requested);
  EXPECT_EQ(row.release_attempts, 1);
  EXPECT_EQ(row.release_amount, kAmount);
  EXPECT_EQ(world.order(order).state, OrderState::authorized);
  ASSERT_EQ(world.effects.size(), 1u);
  EXPECT_EQ(std::get<AuthorizationCall>(world.effects[0]).kind, AuthorizationCallKind::release_authorization);
}

TEST(ReleaseAuthorization, OfAPartlyCapturedAuthorizationReleasesTheRest) {
  Authorizations world;
  const OrderId order = world.held_order();
  world.capture(order, 700, false);
  EXPECT_EQ(result_of(world, order), "ok");
  EXPECT_EQ(world.authorization(order).release_amount, kAmount - 700);
}

TEST(ReleaseAuthorization, DependsOnTheState) {
  struct Row {
    std::string_view what;
    std::string_view result;
    std::function<void(Authorizations&, OrderId)> begin;
  };
  const Row rows[] = {
      {"not held yet", "illegal_transition", [](Authorizations&, OrderId) {}},
      {"declined", "ok",
       [](Authorizations& world, OrderId order) {
         world.report(order, {.kind = AuthorizationEvidenceKind::failed, .currency = kCny});
       }},
      {"being released", "ok",
       [](Authorizations& world, OrderId order) {
         world.report(order, Authorizations::holds());
         result_of(world, order);
       }},
      {"a capture without a result", "capture_in_progress",
       [](Authorizations& world, OrderId order) {
         world.report(order, Authorizations::holds());
         world.run(world.capture_request(order));
       }},
      {"a parked order", "illegal_transition",
       [](Authorizations& world, OrderId order) {
         world.report(order, Authorizations::holds());
         world.aggregate(order).order.parked = true;
       }},
  };
  for (const Row& row : rows) {
    Authorizations world;
    const OrderId order = world.manual_order();
    world.authorize(order);
    row.begin(world, order);
    const std::int64_t version = world.order(order).version;
    EXPECT_EQ(result_of(world, order), row.result) << row.what;
    EXPECT_EQ(world.order(order).version, version) << row.what;
  }
}

TEST(ReleaseAuthorization, OfAnotherMerchantDoesNotExist) {
  Authorizations world;
  const OrderId order = world.held_order();
  const AuthorizationId id = world.authorization(order).id;
  EXPECT_EQ(world.refusal_of(ReleaseAuthorization{kOtherMerchant, order, id}), "not_found");
  EXPECT_EQ(world.refusal_of(QueryAuthorization{kOtherMerchant, order, id}), "not_found");
}

TEST(QueryAuthorization, QueriesAnAuthorizationThatWasSentAndItsOpenCapture) {
  Authorizations world;
  const OrderId order = world.held_order();
  world.run(world.capture_request(order));
  EXPECT_TRUE(world.run(QueryAuthorization{kMerchant, order, world.authorization(order).id}));
  ASSERT_EQ(world.effects.size(), 2u);
  EXPECT_EQ(std::get<CaptureCall>(world.effects[0]).kind, CaptureCallKind::query_capture);
  EXPECT_EQ(std::get<AuthorizationCall>(world.effects[1]).kind, AuthorizationCallKind::query_authorization);
}

TEST(QueryAuthorization, OfTheWalletCallsNoChannel) {
  Authorizations world;
  const OrderId order = world.manual_order();
  const AuthorizationId id = world.authorize(order, world.wallet_fields());
  EXPECT_TRUE(world.run(QueryAuthorization{kMerchant, order, id}));
  EXPECT_TRUE(world.effects.empty());
}

}  // namespace
}  // namespace finality::test
