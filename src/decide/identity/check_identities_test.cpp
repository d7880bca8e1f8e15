#include "decide/identity/check_identities.h"

#include <functional>

#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;
using Entries = std::vector<Entry>;

Entries entries_of(const World& world, OrderId order) {
  Entries found;
  for (const Entry& entry : world.store.entries)
    if (entry.root_id == order.value) found.push_back(entry);
  return found;
}

SetFee fee() {
  return {.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 250, .fixed = 10, .refundable = true};
}

void settles(RefundScenario& it, MinorUnits channel_fee) {
  Evidence evidence = finality::test::paid("T1", kPaid);
  evidence.settlement = {
      .transaction_no = "B1", .amount = 143, .currency = kUsd, .fee = channel_fee, .exchange_rate = "0.14"};
  it.record_later(evidence);
}

void refunds(RefundScenario& it, K result = K::refunded) {
  it.pays();
  it.create_refund(400);
  it.own_is(result);
}

struct Sound {
  std::string_view name;
  std::function<void(RefundScenario&)> happens;
};

// What happens to orders that agree, with the postings that check_identities() knows.
const Sound kSound[] = {
    {"nothing", [](RefundScenario&) {}},
    {"the payment fails", [](RefundScenario& it) { it.record_later(failed()); }},
    {"the payer pays", [](RefundScenario& it) { it.pays(); }},
    {"the payer pays another amount", [](RefundScenario& it) { it.record_later(finality::test::paid("T1", 500)); }},
    {"the payer pays twice",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
     }},
    {"the second payment is returned",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.reversal_is(K::refunded);
     }},
    {"a refund is requested",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(400);
     }},
    {"a refund succeeds", [](RefundScenario& it) { refunds(it); }},
    {"a refund fails", [](RefundScenario& it) { refunds(it, K::refused); }},
    {"a refund is returned",
     [](RefundScenario& it) {
       refunds(it);
       it.returns("B1", 150);
     }},
    {"the channel refunds",
     [](RefundScenario& it) {
       it.pays();
       it.number("X1", 300);
     }},
    {"the platform bears a refund of the channel",
     [](RefundScenario& it) {
       it.pays();
       it.number("X1", 300);
       it.resolves(CaseKind::external_refund, "charge_platform");
     }},
    {"the channel refunds a part of a second payment",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.number("X2", 300, K::refunded, "T2");
     }},
    {"the channel settles in another currency, less its fee",
     [](RefundScenario& it) {
       it.pays();
       settles(it, 5);
     }},
    {"the merchant's balance is converted, and the channel returns a fee",
     [](RefundScenario& it) {
       it.policy.accounts["sandbox"].merchant_currency = MerchantCurrency::settlement;
       it.pays();
       settles(it, -5);
     }},
};

TEST(CheckIdentities, FindsNothingInOrdersThatAgree) {
  for (const Sound& sound : kSound)
    for (const Funds funds : {Funds::platform, Funds::merchant}) {
      RefundScenario it(fee());
      it.aggregate(it.order).payments.front().funds = funds;
      sound.happens(it);
      for (const std::string& finding : check_identities(it.aggregate(it.order), entries_of(it, it.order)))
        ADD_FAILURE() << sound.name << ": " << finding;
    }
}

struct Damage {
  std::string_view name;
  std::function<void(RefundScenario&)> happens;
  std::function<void(OrderAggregate&, Entries&)> damage;
  std::string_view finding;  // a part of one of the findings
};

void paid(RefundScenario& it) { it.pays(); }
void refunded_once(RefundScenario& it) { refunds(it); }
void paid_twice(RefundScenario& it) {
  it.pays();
  it.pays("T2");
}
void reversed(RefundScenario& it) {
  paid_twice(it);
  it.reversal_is(K::refunded);
}
void returned(RefundScenario& it) {
  refunds(it);
  it.returns("B1", 150);
}
void settled(RefundScenario& it) {
  it.pays();
  settles(it, 5);
}

Entry& entry_as(Entries& entries, EntryType type) { return *std::ranges::find(entries, type, &Entry::type); }

void remove(Entries& entries, EntryType type) {
  std::erase_if(entries, [&](const Entry& entry) { return entry.type == type; });
}

void change_amounts(Entries& entries, EntryType type) {
  for (Entry& entry : entries)
    if (entry.type == type) {
      entry.amount *= 2;
      entry.balance_after = entry.balance_before + entry.amount;
    }
}

// Appends a copy of the journals of that type, as if they had been posted twice.
void post_again(Entries& entries, EntryType type) {
  const Entries before = entries;
  for (Entry entry : before)
    if (entry.type == type) {
      entry.id.value += 1'000'000;
      entry.journal_id.value += 1'000'000;
      entries.push_back(entry);
    }
}

const Damage kDamages[] = {
    {"the lane's invariants", paid, [](OrderAggregate& all, Entries&) { all.order.state = OrderState::closed; },
     "is closed with 1 succeeded payments"},
    {"paid amount of the order", paid, [](OrderAggregate& all, Entries&) { all.order.paid_amount -= 1; },
     "has paid_amount 999 and accepted receipts of 1000"},
    {"refunded amount of the order", refunded_once,
     [](OrderAggregate& all, Entries&) { all.order.refunded_amount = 0; },
     "has refunded_amount 0 and succeeded refunds less returns of 400"},
    {"paid amount of a payment", paid_twice, [](OrderAggregate& all, Entries&) { all.payments[0].paid_amount = 1000; },
     "has paid_amount 1000 and receipts of 2000"},
    {"reversed amount of a payment", reversed,
     [](OrderAggregate& all, Entries&) { all.payments[0].reversed_amount = 0; },
     "has reversed_amount 0 and returned receipts of 1000"},
    {"returned amount of a refund", returned, [](OrderAggregate& all, Entries&) { all.refunds[0].returned_amount = 0; },
     "has returned_amount 0 and returns of 150"},
    {"fee charged again", returned, [](OrderAggregate& all, Entries&) { all.refunds[0].fee_charged_again += 1; },
     "has fee_charged_again"},
    {"fee above the payment", paid, [](OrderAggregate& all, Entries&) { all.payments[0].fee_amount = 1001; },
     "is succeeded with a fee of 1001"},
    {"state of a reversal", reversed,
     [](OrderAggregate& all, Entries&) { all.reversals[0].state = ReversalState::pending; },
     "is pending, its receipt returned"},
    {"amounts that overflow", paid_twice,
     [](OrderAggregate& all, Entries&) {
       for (Receipt& receipt : all.receipts) receipt.amount = std::numeric_limits<MinorUnits>::max() - 1;
     },
     "has paid_amount 2000"},
    {"no receipt posting", paid, [](OrderAggregate&, Entries& all) { remove(all, EntryType::receipt_accepted); },
     "has no posting receipt_accepted of 10.00 CNY"},
    {"no suspense posting", paid_twice,
     [](OrderAggregate&, Entries& all) { remove(all, EntryType::receipt_in_suspense); },
     "has no posting receipt_in_suspense of 10.00 CNY"},
    {"no suspense posting of a returned receipt", reversed,
     [](OrderAggregate&, Entries& all) { remove(all, EntryType::receipt_in_suspense); },
     "has no posting receipt_in_suspense of 10.00 CNY"},
    {"no reversal posting", reversed, [](OrderAggregate&, Entries& all) { remove(all, EntryType::reversal_succeeded); },
     "has no posting reversal_succeeded of 10.00 CNY"},
    {"no fee posting", paid, [](OrderAggregate&, Entries& all) { remove(all, EntryType::fee_charged); },
     "has no posting fee_charged"},
    {"no fee return", refunded_once, [](OrderAggregate&, Entries& all) { remove(all, EntryType::fee_returned); },
     "has no posting fee_returned"},
    {"no refund posting", refunded_once,
     [](OrderAggregate&, Entries& all) { remove(all, EntryType::refund_succeeded); },
     "has no posting refund_succeeded of 4.00 CNY"},
    {"no transit posting", refunded_once,
     [](OrderAggregate&, Entries& all) { remove(all, EntryType::refund_accepted); },
     "has no posting refund_accepted of 4.00 CNY"},
    {"no return posting", returned, [](OrderAggregate&, Entries& all) { remove(all, EntryType::refund_returned); },
     "has no posting refund_returned of 1.50 CNY"},
    {"no conversion", settled, [](OrderAggregate&, Entries& all) { remove(all, EntryType::receipt_converted); },
     "has no posting receipt_converted of 10.00 CNY"},
    {"no channel fee", settled, [](OrderAggregate&, Entries& all) { remove(all, EntryType::channel_fee); },
     "has no posting channel_fee of 0.05 USD"},
    {"state of a refund", refunded_once,
     [](OrderAggregate& all, Entries&) { all.refunds[0].state = RefundState::failed; },
     "posts refund_succeeded of ref_"},
    {"amounts of a journal", paid,
     [](OrderAggregate&, Entries& all) { change_amounts(all, EntryType::receipt_accepted); },
     "posts receipt_accepted of rcp_"},
    {"settled amount", settled, [](OrderAggregate& all, Entries&) { all.channel_settlements[0].settled_amount += 1; },
     "posts receipt_converted of cst_"},
    {"currency of an entry", paid,
     [](OrderAggregate&, Entries& all) { entry_as(all, EntryType::receipt_accepted).currency = kUsd; },
     "does not sum to zero"},
    {"amount of an entry", paid,
     [](OrderAggregate&, Entries& all) { entry_as(all, EntryType::fee_charged).amount -= 1; }, "does not sum to zero"},
    {"balance of an entry", paid,
     [](OrderAggregate&, Entries& all) { entry_as(all, EntryType::fee_charged).balance_after += 1; },
     "has a balance_after that does not match its amount"},
    {"order of an entry", paid,
     [](OrderAggregate&, Entries& all) { entry_as(all, EntryType::fee_charged).root_id += 1; },
     "has entries of several documents, types or orders"},
    {"one entry is missing", paid, [](OrderAggregate&, Entries& all) { all.pop_back(); }, "does not sum to zero"},
    {"a posting without its document", refunded_once, [](OrderAggregate& all, Entries&) { all.refunds.clear(); },
     "posts refund_accepted of ref_"},
    {"a journal is posted twice", paid,
     [](OrderAggregate&, Entries& all) { post_again(all, EntryType::receipt_accepted); }, "contrary to its state"},
};

TEST(CheckIdentities, FindsEachKindOfDamage) {
  for (const Damage& one : kDamages) {
    RefundScenario it(fee());
    one.happens(it);
    OrderAggregate aggregate = it.aggregate(it.order);
    Entries entries = entries_of(it, it.order);
    ASSERT_TRUE(check_identities(aggregate, entries).empty()) << one.name;
    one.damage(aggregate, entries);
    const std::vector<std::string> findings = check_identities(aggregate, entries);
    const auto is_expected = [&](const std::string& finding) { return finding.contains(one.finding); };
    EXPECT_TRUE(std::ranges::any_of(findings, is_expected))
        << one.name << ": " << (findings.empty() ? std::string("no finding") : findings.front());
  }
}

}  // namespace
}  // namespace finality::test
