#include "sim/bugs/store_bugs.h"

#include <set>

#include "sim/bugs/mutate_rows.h"

namespace finality::sim {
namespace {

/// Applies `kAlter` to the rows and commits the result.
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

/// Ignores versions: writes the rows although another commit has changed them since they were read.
class LastWriteWins final : public SessionBug {
 public:
  CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) override {
    CommitResult result = inner.commit(rows, ids);
    if (result.outcome != CommitOutcome::conflict) return result;
    ReadSet reads;
    rows.orders.each([&](const OrderId& id, const auto&, const auto&) { reads.orders.push_back(id); });
    rows.accounts.each([&](const AccountId& id, const auto&, const auto&) { reads.accounts.push_back(id); });
    WorkingSet current;
    if (!inner.load(reads, current)) return result;
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
std::unique_ptr<SessionBug> last_write_wins() { return std::make_unique<LastWriteWins>(); }

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

/// Writes all new natural keys except those for which `is_lost` returns true.
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

void lose_idempotency(WorkingSet& rows) { rows.idempotency_records = {}; }

void lose_new_deliveries(WorkingSet& rows) { lose_rows(rows.deliveries, is_new); }
void lose_events(WorkingSet& rows) { rows.events.clear(); }
void lose_entries(WorkingSet& rows) { rows.entries.clear(); }

// Writes ledger entries, but not the changed balances of their accounts.
void lose_balances(WorkingSet& rows) {
  lose_rows(rows.accounts, [](const auto& base, const Account& now) { return base && base->balance != now.balance; });
}

void lose_freezes(WorkingSet& rows) {
  each_row(
      rows.accounts, [](const auto&, const Account& now) { return now.state == AccountState::frozen; },
      [](Account& account) { account.state = AccountState::open; });
}

void lose_held(WorkingSet& rows) {
  each_row(
      rows.accounts, [](const auto&, const Account& now) { return now.held != 0; },
      [](Account& account) { account.held = 0; });
}

void lose_locks(WorkingSet& rows) {
  each_row(
      rows.accounts, [](const auto&, const Account& now) { return now.lock_expires_at.has_value(); },
      [](Account& account) { account.lock_expires_at = account.created_at; });
}

void extend_holds(WorkingSet& rows) {
  each_row(rows.holds, is_new, [](Hold& hold) { hold.expires_at = hold.expires_at + std::chrono::hours(1000); });
}

void expire_holds_early(WorkingSet& rows) {
  each_row(rows.holds, is_new, [](Hold& hold) { hold.due_at = hold.expires_at = hold.created_at; });
}

void expire_orders_early(WorkingSet& rows) {
  each_row(rows.orders, is_new, [](OrderAggregate& order) { order.order.due_at = order.order.created_at; });
}

void drop_open_refunds(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.refunds, [](const Refund& refund) { return !refund_machine.is_final(refund.state); });
  });
}

void drop_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.cases.clear(); });
}

void drop_close(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.order.close_requested = false; });
}

void drop_reversals(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.reversals.clear(); });
}

void change_idempotency_records(WorkingSet& rows) {
  each_row(rows.idempotency_records, is_new, [](IdempotencyRecord& record) { record.object_id += 1; });
}

void change_merchant_secrets(WorkingSet& rows) {
  each_row(rows.merchants, is_new,
           [](Merchant& merchant) { merchant.webhook_secret = Secret(merchant.webhook_secret.reveal() + "x"); });
}

void lose_changed_prices(WorkingSet& rows) {
  lose_rows(rows.prices, [](const auto& base, const Price& now) { return base && base->version != now.version; });
}

void lose_decided_adjustments(WorkingSet& rows) {
  lose_rows(rows.adjustments,
            [](const auto& base, const Adjustment& now) { return base && base->version != now.version; });
}

void lose_changed_statements(WorkingSet& rows) {
  lose_rows(rows.statements, [](const auto& base, const StatementAggregate& now) {
    return base && base->statement.version != now.statement.version;
  });
}

void lose_changed_differences(WorkingSet& rows) {
  lose_rows(rows.differences, [](const auto& base, const DifferenceAggregate& now) {
    return base && base->difference.version != now.difference.version;
  });
}

void lose_matches(WorkingSet& rows) { lose_rows(rows.statement_matches, is_new); }

/// Predicate for lose_rows: true if a row of the list has another version than in the store.
constexpr auto has_changed_row = [](const auto& base, const auto& now) {
  return base && std::ranges::any_of(now, [&](const auto& row) {
           const auto* before = find_row(*base, row.id);
           return before != nullptr && before->version != row.version;
         });
};

void lose_changed_fees(WorkingSet& rows) { lose_rows(rows.fees, has_changed_row); }
void lose_changed_endpoints(WorkingSet& rows) { lose_rows(rows.endpoints, has_changed_row); }

/// Continues to write with its node number although another process has leased the node number.
class FenceIgnored final : public SessionBug {
 public:
  CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) override {
    CommitResult result = inner.commit(rows, ids);
    if (result.outcome != CommitOutcome::fenced || !inner.lease()) return result;
    return inner.commit(rows, ids);
  }
};
std::unique_ptr<SessionBug> fence_ignored() { return std::make_unique<FenceIgnored>(); }

/// Reports success for a commit that the store has rejected, because another commit has changed the same rows.
class ConflictIgnored final : public SessionBug {
 public:
  CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) override {
    CommitResult result = inner.commit(rows, ids);
    if (result.outcome == CommitOutcome::conflict) result.outcome = CommitOutcome::ok;
    return result;
  }
};
std::unique_ptr<SessionBug> conflict_ignored() { return std::make_unique<ConflictIgnored>(); }

/// Clears the presence bit for refunds of an order with refunds, so that the store no longer loads them.
class RefundBitLost final : public SessionBug {
 public:
  CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) override {
    WorkingSet altered = rows;
    each_changed_order(altered, [](OrderAggregate& order) { order.order.children &= ~kPresence<Refund>; });
    return inner.commit(altered, ids);  // accept() is not called: it would set the bit again
  }
};
std::unique_ptr<SessionBug> refund_bit_lost() { return std::make_unique<RefundBitLost>(); }

constexpr Bug kBugs[] = {
    {.name = "a store that ignores versions", .session = last_write_wins},
    {.name = "payments never become due again", .session = altered<lose_payments_due>},
    {.name = "refunds and reversals never become due again", .session = altered<lose_refunds_due>},
    {.name = "orders never expire", .session = altered<lose_expiries>},
    {.name = "a delivery is tried once", .session = altered<lose_deliveries_due>},
    {.name = "holds never expire", .session = altered<lose_hold_expiries>},
    {.name = "the key of a receipt is not kept", .session = altered<lose_receipt_keys>},
    {.name = "the key of a refund is not kept", .session = altered<lose_refund_keys>},
    {.name = "the key of an order is not kept", .session = altered<lose_order_keys>},
    {.name = "the key of a transfer is not kept", .session = altered<lose_transfer_keys>},
    {.name = "the key of a hold is not kept", .session = altered<lose_hold_keys>},
    {.name = "idempotency records are not kept", .session = altered<lose_idempotency>},
    {.name = "a conflict is taken for a commit", .session = conflict_ignored},
    {.name = "a fence is ignored", .session = fence_ignored},
    {.name = "a new delivery is not written", .session = altered<lose_new_deliveries>},
    {.name = "events are not written", .session = altered<lose_events>},
    {.name = "entries are not written", .session = altered<lose_entries>},
    {.name = "balances are not written", .session = altered<lose_balances>},
    {.name = "a freeze is not written", .session = altered<lose_freezes>},
    {.name = "held amounts are not written", .session = altered<lose_held>},
    {.name = "a lock ends before its time", .session = altered<lose_locks>},
    {.name = "an expired hold is posted", .session = altered<extend_holds>},
    {.name = "a hold expires before its time", .session = altered<expire_holds_early>},
    {.name = "an order expires before its time", .session = altered<expire_orders_early>},
    {.name = "a refund under way is forgotten", .session = altered<drop_open_refunds>},
    {.name = "the presence bit of refunds is not written", .session = refund_bit_lost},
    {.name = "a reversal is forgotten", .session = altered<drop_reversals>},
    {.name = "a case is forgotten", .session = altered<drop_cases>},
    {.name = "that a close was asked for is forgotten", .session = altered<drop_close>},
    {.name = "a kept answer changes", .session = altered<change_idempotency_records>},
    {.name = "another secret of a merchant is written", .session = altered<change_merchant_secrets>},
    {.name = "a changed price is not written", .session = altered<lose_changed_prices>},
    {.name = "a changed fee is not written", .session = altered<lose_changed_fees>},
    {.name = "a disabled webhook endpoint stays enabled", .session = altered<lose_changed_endpoints>},
    {.name = "a decided adjustment is not written", .session = altered<lose_decided_adjustments>},
    {.name = "a step of a statement is not written", .session = altered<lose_changed_statements>},
    {.name = "a change of a difference is not written", .session = altered<lose_changed_differences>},
    {.name = "a match of a line is not written", .session = altered<lose_matches>},
};

}  // namespace

std::span<const Bug> store_bugs() { return kBugs; }

}  // namespace finality::sim
