// Random adjustments that simulated operators make in the books of a merchant.
#include "sim/world/shop.h"

namespace finality::sim {
namespace {

using std::chrono::hours;

constexpr MinorUnits kAmountMax = 50'000;
constexpr AccountKind kAccounts[] = {AccountKind::merchant_payable, AccountKind::merchant_direct,
                                     AccountKind::channel_receivable, AccountKind::bank};

void nothing(const Reply&) {}

template <class T, std::size_t kSize>
const T& any_of(Random& random, const T (&values)[kSize]) {
  return values[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(kSize)))];
}

ProposeAdjustment make_proposal(Shop& shop) {
  Random& random = shop.scheduler.random();
  constexpr AdjustmentType kTypes[] = {AdjustmentType::opening_balance, AdjustmentType::penalty,
                                       AdjustmentType::rounding};
  ProposeAdjustment command;
  command.merchant_id = shop.merchant;
  command.type = any_of(random, kTypes);
  command.account =
      command.type == AdjustmentType::opening_balance ? any_of(random, kAccounts) : AccountKind::channel_receivable;
  if (command.account == AccountKind::channel_receivable) command.channel = random.chance(500) ? "sandbox" : "sandbox2";
  command.currency = shop.currency;
  command.amount = random.between(1, kAmountMax);
  if (command.account == AccountKind::bank) command.channel = command.amount % 2 == 0 ? "bank_a" : "bank_b";
  if (command.type != AdjustmentType::penalty && random.chance(500)) command.amount = -command.amount;
  command.note = "according to the channel's settlement";
  command.proposed_by = "key_1";
  return command;
}

// Approves or rejects the adjustment. Some operators try to approve their own proposal.
void decide_later(Shop& shop, const Adjustment& adjustment) {
  Random& random = shop.scheduler.random();
  const AdjustmentEvent event = random.chance(600) ? AdjustmentEvent::approve : AdjustmentEvent::reject;
  const DecideAdjustment command =
      decision_about(&adjustment, shop.merchant, event, random.chance(200) ? "key_1" : "key_2", adjustment.version);
  shop.scheduler.after(random.spread(Duration(1), hours(3)),
                       [&shop, command] { shop.client.call({command, shop.merchant, shop.key()}, nothing); });
}

}  // namespace

void begin_adjustment(Shop& shop) {
  shop.client.call({make_proposal(shop), shop.merchant, shop.client.number("key")}, [&shop](const Reply& reply) {
    if (!reply.object || reply.object->type != ObjectType::adjustment) return;
    const auto found = shop.reader.adjustment(AdjustmentId{reply.object->value});
    if (!found || !*found) return;
    for (std::int64_t count = shop.scheduler.random().between(1, 4); count > 0; --count) decide_later(shop, **found);
  });
}

}  // namespace finality::sim
