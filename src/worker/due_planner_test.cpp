#include "worker/due_planner.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

constexpr Time kDueAt{1'790'000'000'123};

Request planned(ObjectRef row) { return plan_claim({row, MerchantId{7}, OrderId{5}, kDueAt}); }

TEST(DuePlanner, AnOrderExpires) {
  const auto command = std::get<ExpireOrder>(planned(OrderId{5}).command);
  EXPECT_EQ(command.merchant_id, MerchantId{7});
  EXPECT_EQ(command.order_id, OrderId{5});
  EXPECT_EQ(command.due_at, kDueAt);
}

TEST(DuePlanner, RowsWithRequestsAreClaimed) {
  for (const ObjectRef row : {ObjectRef(PaymentId{8}), ObjectRef(AuthorizationId{6}), ObjectRef(CaptureId{2}),
                              ObjectRef(RefundId{3}), ObjectRef(ReversalId{4})}) {
    const auto command = std::get<ClaimRequest>(planned(row).command);
    EXPECT_EQ(command.merchant_id, MerchantId{7});
    EXPECT_EQ(command.order_id, OrderId{5});
    EXPECT_EQ(command.row, row);
    EXPECT_EQ(command.due_at, kDueAt);
  }
}

TEST(DuePlanner, ADeliveryIsClaimed) {
  const auto command = std::get<ClaimDelivery>(planned(DeliveryId{9}).command);
  EXPECT_EQ(command.merchant_id, MerchantId{7});
  EXPECT_EQ(command.delivery_id, DeliveryId{9});
  EXPECT_EQ(command.due_at, kDueAt);
}

TEST(DuePlanner, ClaimsRunInTheMerchantsLaneWithATimerCause) {
  const Request request = planned(PaymentId{8});
  EXPECT_EQ(request.merchant_id, MerchantId{7});
  EXPECT_EQ(request.cause.kind, CauseKind::timer);
  EXPECT_EQ(std::get<DueSince>(request.cause.trigger).due_at, kDueAt);
  EXPECT_FALSE(request.idempotency);
}

TEST(DuePlannerDeathTest, OtherRowTypesAbort) { EXPECT_DEATH(planned(MerchantId{7}), "without due rows"); }

}  // namespace
}  // namespace finality
