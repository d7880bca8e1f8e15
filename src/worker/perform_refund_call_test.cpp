#include "worker/perform_refund_call.h"

#include "worker/fakes.h"

namespace finality {
namespace {

using namespace fakes;

// A reversal may come to such a channel all the same, and nothing is ever sent: it is refused, so a person hears of it.
TEST(PerformRefundCall, AChannelThatTakesNoRefundsRefusesWithoutBeingAsked) {
  World world;
  world.channels.push_back(std::make_unique<PlainChannel>());
  EXPECT_FALSE(capabilities_of(*world.channels.back()).refunds);
  const RefundCall call{.kind = RefundCallKind::send_refund,
                        .merchant_id = MerchantId{7},
                        .channel = "plain",
                        .deadline = kNow + std::chrono::seconds(10)};
  world.inside([&] {
    perform_refund_call(world.outside, call, world.under_way->admit(EffectKind::channel_call, MerchantId{7}));
  });
  EXPECT_EQ(world.client.count(), 0u);
  const auto command = world.engine.command<RecordRefund>(0);
  EXPECT_EQ(command.evidence.kind, RefundEvidenceKind::refused);
  EXPECT_EQ(command.evidence.code, "refunds_not_supported");
  EXPECT_EQ(command.evidence.message, "the channel plain takes no refunds");
}

}  // namespace
}  // namespace finality
