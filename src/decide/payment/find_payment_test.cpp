#include "decide/payment/find_payment.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

/// Returns the refusal code of a command that is decided on `before`, an outdated cached state of the order.
std::string refusal_where_remembered(const World& world, const OrderAggregate& before, const Command& command) {
  WorkingSet rows;
  rows.orders.recall(before.order.id, before);
  ReadSet reads;
  add_reads(command, reads);
  world.store.load(reads, rows);
  IdGenerator ids{0, world.now};
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  Context context{rows, ids, world.policy, world.now, world.cause, effects, findings};
  const Decision decision = decide(command, context);
  return decision ? "ok" : std::string(name_of(decision.error().code));
}

// Another server has started the payment after the order was cached. The commit detects the outdated order (ADR 0018).
TEST(FindPaymentTest, FindsNoPaymentInAnOlderCachedOrder) {
  World world;
  const OrderId order = world.new_order();
  const OrderAggregate before = world.aggregate(order);
  const PaymentId payment = world.start(order);
  world.record_evidence(payment, paid());
  const Command commands[] = {
      QueryPayment{kMerchant, payment},
      CreateRefund{kMerchant, payment, kAmount, "R-1", {}, "sandbox", kCny},
      world.evidence_command(payment, paid("T2")),
  };
  for (const Command& command : commands) {
    EXPECT_EQ(refusal_where_remembered(world, before, command), "not_found") << command.index();
    EXPECT_EQ(refusal_where_remembered(world, world.aggregate(order), command), "ok") << command.index();
  }
}

}  // namespace
}  // namespace finality
