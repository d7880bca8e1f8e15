#include "decide/order/park_order.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

TEST(ParkOrder, ClearsDueAtAndOpensACase) {
  World world;
  const OrderId id = world.new_order();
  const PaymentId payment = world.start(id);
  world.run(ParkOrder{kMerchant, id, "3: something is wrong"});
  for (const Event& event : world.events) EXPECT_EQ(event.cause, CauseKind::timer);
  EXPECT_TRUE(world.order(id).parked);
  EXPECT_FALSE(world.order(id).due_at.has_value());
  EXPECT_FALSE(world.payment(payment).due_at.has_value());
  const auto& cases = world.aggregate(id).cases;
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].kind, CaseKind::invariant_violation);
  EXPECT_NE(cases[0].evidence.find("3: something is wrong"), std::string::npos);
  EXPECT_EQ(world.delivery_types(), "case.opened");
}

TEST(ParkOrder, ParkingAgainAddsEvidenceToTheCase) {
  World world;
  const OrderId id = world.new_order();
  world.run(ParkOrder{kMerchant, id, "one"});
  world.run(ParkOrder{kMerchant, id, "two"});
  ASSERT_EQ(world.aggregate(id).cases.size(), 1u);
  EXPECT_EQ(world.aggregate(id).cases[0].evidence, R"([{"finding":"one"},{"finding":"two"}])");
  EXPECT_EQ(world.delivery_types(), "");
}

TEST(ParkOrder, ACasesEvidenceHasALimit) {
  World world;
  const OrderId id = world.new_order();
  for (int i = 0; i < 100; ++i) world.run(ParkOrder{kMerchant, id, std::string(1000, 'x')});
  EXPECT_LE(world.aggregate(id).cases[0].evidence.size(), 33u << 10);
}

TEST(ParkOrder, OfAnUnknownOrderIsNotFound) {
  World world;
  EXPECT_EQ(world.refusal_of(ParkOrder{kMerchant, OrderId{99}, "x"}), "not_found");
}

}  // namespace
}  // namespace finality
