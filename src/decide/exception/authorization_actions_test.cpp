#include "decide/exception/authorization_actions.h"

#include "decide/exception/open_case.h"
#include "decide/exception/resolution.h"
#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

// The names of the resolutions that a case of the kind about an object of the type allows, separated by spaces.
std::string names_of(CaseKind kind, ObjectType type) {
  std::string names;
  for (const std::string_view name : resolutions_of({.kind = kind, .object_type = type}, nullptr))
    names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

TEST(ResolutionsOfAuthorizations, DependOnTheKindAndTheObject) {
  using enum ObjectType;
  const struct {
    CaseKind kind;
    ObjectType type;
    std::string_view names;
  } rows[] = {
      {CaseKind::conflicting_result, authorization, "keep"},
      {CaseKind::conflicting_result, capture, "keep write_off"},
      {CaseKind::amount_mismatch, authorization, "acknowledge"},
      {CaseKind::amount_mismatch, capture, "refund"},
      {CaseKind::amount_mismatch, payment, "accept refund"},
      {CaseKind::paid_after_failure, authorization, "acknowledge"},
      {CaseKind::result_overdue, authorization, "keep_querying confirm_unpaid send_again"},
      {CaseKind::result_overdue, capture, "keep_querying confirm_uncaptured send_again"},
      {CaseKind::result_overdue, payment, "keep_querying confirm_unpaid"},
      {CaseKind::not_accepted, authorization, "send_again keep_querying confirm_unpaid"},
      {CaseKind::not_accepted, capture, "send_again keep_querying confirm_uncaptured"},
      {CaseKind::over_captured, authorization, "accept"},
      {CaseKind::external_capture, capture, "accept"},
      {CaseKind::release_blocked, authorization, "retry confirm_released"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(names_of(row.kind, row.type), row.names) << name_of(row.kind) << " about " << name_of(row.type);
}

class Resolved : public Authorizations {
 public:
  /// Adds a case about the object, and proposes and approves the resolution.
  Decision resolve(OrderId order, CaseKind kind, ObjectRef object, const std::string& resolution) {
    const CaseId id{900 + ++cases_};
    aggregate(order).cases.push_back({.id = id,
                                      .root_id = order.value,
                                      .merchant_id = kMerchant,
                                      .kind = kind,
                                      .object_type = object.type,
                                      .object_id = object.value});
    run(ProposeResolution{kMerchant, order, id, resolution, "checked", "key_a"});
    return run(reviewed(ApproveResolution{kMerchant, order, id, "key_b", {}, "sandbox", kCny}));
  }

 private:
  std::int64_t cases_ = 0;
};

TEST(ResolutionsOfAuthorizations, ConfirmUnpaidClosesAnAuthorizationWithoutAResult) {
  Resolved world;
  const OrderId order = world.manual_order();
  const AuthorizationId id = world.authorize(order);
  EXPECT_TRUE(world.resolve(order, CaseKind::result_overdue, id, "confirm_unpaid"));
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::closed);
  EXPECT_EQ(world.order(order).state, OrderState::pending);
  const OrderId held = world.held_order();
  const Decision refused =
      world.resolve(held, CaseKind::result_overdue, world.authorization(held).id, "confirm_unpaid");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::illegal_transition);
}

TEST(ResolutionsOfAuthorizations, ConfirmUncapturedFailsACaptureWithoutAResult) {
  Resolved world;
  const OrderId order = world.held_order();
  world.run(world.capture_request(order));
  const CaptureId id = world.last_capture(order).id;
  EXPECT_TRUE(world.resolve(order, CaseKind::result_overdue, id, "confirm_uncaptured"));
  EXPECT_EQ(world.last_capture(order).state, CaptureState::failed);
  EXPECT_EQ(world.last_capture(order).failure_code, "confirmed_uncaptured");
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::authorized);
}

TEST(ResolutionsOfAuthorizations, ABlockedReleaseIsRequestedAgainUnderANewNumber) {
  Resolved world;
  const OrderId order = world.held_order();
  const AuthorizationId id = world.authorization(order).id;
  world.run(ReleaseAuthorization{kMerchant, order, id});
  EXPECT_TRUE(world.resolve(order, CaseKind::release_blocked, id, "retry"));
  EXPECT_EQ(world.authorization(order).release_attempts, 2);
}

// The amount in another currency is not booked, so that a query has to report it.
TEST(ResolutionsOfAuthorizations, ABlockedReleaseOfAnotherCurrencyIsQueriedFirst) {
  Resolved world;
  const OrderId order = world.manual_order();
  const AuthorizationId id = world.authorize(order);
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.currency = kUsd;
  world.report(order, evidence);
  world.report(order, {.kind = AuthorizationEvidenceKind::release_refused, .code = "no"});
  EXPECT_TRUE(world.resolve(order, CaseKind::release_blocked, id, "retry"));
  ASSERT_EQ(world.effects.size(), 1u);
  EXPECT_EQ(std::get<AuthorizationCall>(world.effects[0]).kind, AuthorizationCallKind::query_authorization);
  evidence.source = CauseKind::query;
  world.report(order, evidence);
  EXPECT_EQ(world.authorization(order).release_attempts, 2);
  EXPECT_EQ(world.authorization(order).release_amount, kAmount);
}

TEST(ResolutionsOfAuthorizations, ConfirmReleasedEndsTheWaitForACapturedTotal) {
  Resolved world;
  const OrderId order = world.held_order();
  const AuthorizationId id = world.authorization(order).id;
  world.run(world.capture_request(order, 700, false));
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.captured = 700;
  world.report(order, evidence);
  world.report_capture(order, failed());
  ASSERT_TRUE(world.authorization(order).is_total_waiting);
  world.run(ReleaseAuthorization{kMerchant, order, id});
  EXPECT_TRUE(world.resolve(order, CaseKind::release_blocked, id, "confirm_released"));
  EXPECT_FALSE(world.authorization(order).is_total_waiting);
}

TEST(ResolutionsOfAuthorizations, ConfirmReleasedEndsTheAuthorizationAndTheOrder) {
  Resolved world;
  const OrderId order = world.held_order();
  const AuthorizationId id = world.authorization(order).id;
  world.run(ReleaseAuthorization{kMerchant, order, id});
  EXPECT_TRUE(world.resolve(order, CaseKind::release_blocked, id, "confirm_released"));
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::released);
  EXPECT_EQ(world.authorization(order).released_amount, kAmount);
  EXPECT_EQ(world.order(order).state, OrderState::closed);
  EXPECT_FALSE(world.resolve(order, CaseKind::release_blocked, id, "confirm_released"));
}

}  // namespace
}  // namespace finality::test
