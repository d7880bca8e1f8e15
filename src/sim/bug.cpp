#include "sim/bug.h"

#include <fmt/format.h>

#include <set>

namespace finality::sim {
namespace {

/// Commits something else than was decided.
template <void (*kAlter)(WorkingSet& rows)>
class Altered final : public SessionBug {
 public:
  CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) override {
    WorkingSet altered = rows;
    kAlter(altered);
    altered.accept();
    return inner.commit(altered, ids);
  }
};
template <void (*kAlter)(WorkingSet& rows)>
std::unique_ptr<SessionBug> altered() {
  return std::make_unique<Altered<kAlter>>();
}

/// A store that ignores versions: what lost its race is written all the same.
class LastOneWins final : public SessionBug {
 public:
  CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) override {
    CommitResult result = inner.commit(rows, ids);
    if (result.outcome != CommitOutcome::conflict) return result;
    Needs needs;
    rows.orders.each([&](const OrderId& id, const auto&, const auto&) { needs.orders.push_back(id); });
    rows.accounts.each([&](const AccountId& id, const auto&, const auto&) { needs.accounts.push_back(id); });
    WorkingSet current;
    if (!inner.load(needs, current)) return result;
    WorkingSet forced = rows;
    rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
      const OrderAggregate* there = current.orders.find(id);
      if (!base || !now || there == nullptr || base->order.version == now->order.version) return;
      forced.orders.load(id, *there);
      OrderAggregate& order = forced.orders.change(id);
      order = *now;
      order.order.version = there->order.version + 1;
    });
    rows.accounts.each([&](const AccountId& id, const auto& base, const auto& now) {
      const Account* there = current.accounts.find(id);
      if (!base || !now || there == nullptr || base->version == now->version) return;
      forced.accounts.load(id, *there);
      Account& account = forced.accounts.change(id);
      account = *now;
      account.version = there->version + 1;
    });
    forced.accept();
    return inner.commit(forced, ids);
  }
};
std::unique_ptr<SessionBug> last_one_wins() { return std::make_unique<LastOneWins>(); }

template <class Visit>
void each_changed_order(WorkingSet& rows, Visit visit) {
  std::vector<OrderId> changed;
  rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
    if (now && (!base || base->order.version != now->order.version)) changed.push_back(id);
  });
  for (const OrderId id : changed) visit(rows.orders.change(id));
}

void lose_payments_due(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Payment& payment : order.payments) payment.due_at.reset();
  });
}

void lose_refunds_due(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds) refund.due_at.reset();
    for (Reversal& reversal : order.reversals) reversal.due_at.reset();
  });
}

void lose_expiries(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.order.due_at.reset(); });
}

void lose_deliveries_due(WorkingSet& rows) {
  std::vector<DeliveryId> all;
  rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
    if (now && !base) all.push_back(id);
  });
  for (const DeliveryId id : all) rows.deliveries.change(id).delivery.due_at.reset();
}

void lose_hold_expiries(WorkingSet& rows) {
  std::vector<HoldId> all;
  rows.holds.each([&](const HoldId& id, const auto& base, const auto& now) {
    if (now && !base) all.push_back(id);
  });
  for (const HoldId id : all) rows.holds.change(id).due_at.reset();
}

/// Writes all new keys but those that `is_lost` names.
template <class IsLost>
void lose_keys(WorkingSet& rows, IsLost is_lost) {
  const auto keys = rows.keys;
  rows.keys = {};
  keys.each([&](const Hash16& hash, const auto& base, const auto& now) {
    if (base || !now || is_lost(hash)) return;
    rows.keys.load(hash, std::nullopt);
    rows.keys.insert(hash, *now);
  });
}

template <class Map, class KeysOf>
void lose_keys_of(WorkingSet& rows, const Map& map, KeysOf keys_of) {
  std::set<Hash16> lost;
  map.each([&](const auto&, const auto&, const auto& now) {
    if (now) keys_of(*now, lost);
  });
  lose_keys(rows, [&](const Hash16& hash) { return lost.contains(hash); });
}

void lose_receipt_keys(WorkingSet& rows) {
  lose_keys_of(rows, rows.orders, [](const OrderAggregate& order, std::set<Hash16>& lost) {
    for (const Receipt& receipt : order.receipts)
      lost.insert(key_of_receipt(receipt.merchant_id, receipt.channel, receipt.channel_trade_no));
  });
}

void lose_refund_keys(WorkingSet& rows) {
  lose_keys_of(rows, rows.orders, [](const OrderAggregate& order, std::set<Hash16>& lost) {
    for (const Refund& refund : order.refunds)
      lost.insert(key_of_refund_no(refund.merchant_id, refund.merchant_refund_no));
  });
}

void lose_order_keys(WorkingSet& rows) {
  lose_keys_of(rows, rows.orders, [](const OrderAggregate& order, std::set<Hash16>& lost) {
    lost.insert(key_of_order_no(order.order.merchant_id, order.order.merchant_order_no));
  });
}

void lose_transfer_keys(WorkingSet& rows) {
  lose_keys_of(rows, rows.transfers, [](const Transfer& transfer, std::set<Hash16>& lost) {
    lost.insert(key_of_transfer(transfer.merchant_id, transfer.source, transfer.reference));
  });
}

void lose_hold_keys(WorkingSet& rows) {
  lose_keys_of(rows, rows.holds, [](const Hold& hold, std::set<Hash16>& lost) {
    lost.insert(key_of_hold(hold.merchant_id, hold.source, hold.reference));
  });
}

void lose_idempotency(WorkingSet& rows) { rows.answers = {}; }

void believe_refund(RefundEvidence& evidence) {
  if (evidence.kind == RefundEvidenceKind::unknown) evidence.kind = RefundEvidenceKind::refunded;
}

void despair_of_refund(RefundEvidence& evidence) {
  if (evidence.kind == RefundEvidenceKind::unknown) evidence.kind = RefundEvidenceKind::refused;
}

void accepted_is_refunded(RefundEvidence& evidence) {
  if (evidence.kind == RefundEvidenceKind::accepted) evidence.kind = RefundEvidenceKind::refunded;
}

void any_answer_is_yes(RecordDelivery& result) { result.acknowledged = true; }

void unknown_is_failed(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::unknown) evidence.kind = EvidenceKind::failed;
}

void unknown_is_closed(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::unknown) evidence.kind = EvidenceKind::closed;
}

void amount_unchecked(Evidence& evidence, const Payment& payment) {
  if (evidence.kind == EvidenceKind::paid) evidence.amount = payment.amount;
}

void paid_is_waiting(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::paid) evidence.kind = EvidenceKind::waiting;
}

// Every sending under a number of its own.
void fresh_refund_number(RefundCall& call) {
  if (call.kind == RefundCallKind::send_refund) call.out_refund_no += fmt::format("y{}", call.deadline.ms);
}

void refund_too_much(RefundCall& call) { call.amount += 1; }

constexpr Bug kBugs[] = {
    {.name = "a store that ignores versions", .session = last_one_wins},
    {.name = "payments never come due again", .session = altered<lose_payments_due>},
    {.name = "refunds and reversals never come due again", .session = altered<lose_refunds_due>},
    {.name = "orders never expire", .session = altered<lose_expiries>},
    {.name = "a delivery is tried once", .session = altered<lose_deliveries_due>},
    {.name = "holds never expire", .session = altered<lose_hold_expiries>},
    {.name = "the key of a receipt is not kept", .session = altered<lose_receipt_keys>},
    {.name = "the key of a refund is not kept", .session = altered<lose_refund_keys>},
    {.name = "the key of an order is not kept", .session = altered<lose_order_keys>},
    {.name = "the key of a transfer is not kept", .session = altered<lose_transfer_keys>},
    {.name = "the key of a hold is not kept", .session = altered<lose_hold_keys>},
    {.name = "idempotency records are not kept", .session = altered<lose_idempotency>},
    {.name = "unknown is failed", .evidence = unknown_is_failed},
    {.name = "unknown is closed", .evidence = unknown_is_closed},
    {.name = "the amount is not checked", .evidence = amount_unchecked},
    {.name = "a reply that says paid is taken for waiting", .evidence = paid_is_waiting},
    {.name = "a refund is sent under a new number each time", .refund_call = fresh_refund_number},
    {.name = "a refund gives back too much", .refund_call = refund_too_much},
    {.name = "a refund without an answer is believed", .refund_evidence = believe_refund},
    {.name = "a refund without an answer is despaired of", .refund_evidence = despair_of_refund},
    {.name = "an accepted refund is taken for done", .refund_evidence = accepted_is_refunded},
    {.name = "any answer to a delivery is yes", .delivered = any_answer_is_yes},
    {.name = "a notification is acknowledged before its commit", .acknowledges_all = true},
};

}  // namespace

std::span<const Bug> all_bugs() { return kBugs; }

}  // namespace finality::sim
