#include "decide/payment/charge_fee.h"

#include "decide/merchant/set_fee.h"
#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

// Returns the fee charged for a payment over a channel of kind `box`, with `fees` as the merchant's fees.
MinorUnits fee_with(const std::vector<SetFee>& fees) {
  World world;
  world.policy.accounts["sandbox"] = {.id = ChannelAccountId{1}, .channel = "sandbox", .kind = "box"};
  for (const SetFee& fee : fees) world.run(fee);
  const PaymentId payment = world.start(world.new_order());
  world.record_evidence(payment, paid());
  return world.payment(payment).fee_amount;
}

SetFee fee(std::string channel, MinorUnits fixed) {
  return {.merchant_id = kMerchant, .channel = std::move(channel), .fixed = fixed};
}

TEST(ChargeFee, UsesTheFeeOfTheChannelOrElseOfItsKind) {
  EXPECT_EQ(fee_with({}), 0);
  EXPECT_EQ(fee_with({fee("box", 10)}), 10);
  EXPECT_EQ(fee_with({fee("box", 10), fee("sandbox", 7)}), 7);
  EXPECT_EQ(fee_with({fee("another", 10)}), 0);
}

TEST(ChargeFee, AReceiptInSuspenseHasNoFee) {
  World world;
  world.run(fee("sandbox", 10));
  const PaymentId payment = world.start(world.new_order());
  world.record_evidence(payment, paid("T1", kAmount + 1));
  EXPECT_EQ(world.payment(payment).fee_amount, 0);
}

}  // namespace
}  // namespace finality::test
