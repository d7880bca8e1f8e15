#include "sim/auditors/money_auditor.h"

#include "model/policy.h"

namespace finality::sim {
namespace {

constexpr const char* kLedger = "6 ledger";
constexpr const char* kPostings = "7 one posting per document";

MinorUnits held_by(const Hold& hold) { return hold.state == HoldState::held ? hold.amount : 0; }

MinorUnits suspended(const OrderAggregate& aggregate, Currency currency) {
  MinorUnits sum = 0;
  for (const Receipt& receipt : aggregate.receipts)
    if (receipt.state == ReceiptState::suspense && receipt.currency == currency) {
      sum += receipt.amount;
      for (const Refund& refund : aggregate.refunds)
        if (refund.receipt_id == receipt.id) sum -= refund.from_suspense;
    }
  return sum;
}

}  // namespace

void MoneyAuditor::look_at(const WorkingSet& rows) {
  check_journals(rows);
  for (const Entry& entry : rows.entries) check_entry(entry);
  check_holds(rows);
  rows.accounts.each([&](const AccountId&, const auto& base, const auto& now) {
    if (now && (!base || base->version != now->version)) check_account(*now, rows);
  });
  check_suspense(rows);
  check_references(rows);
}

void MoneyAuditor::check_journals(const WorkingSet& rows) {
  std::map<std::pair<EntryId, Currency>, MinorUnits> sums;
  for (const Entry& entry : rows.entries) {
    sums[{entry.journal_id, entry.currency}] += entry.amount;
    if (entry.id == entry.journal_id)
      findings_.require(posted_.insert({entry.document_type, entry.document_id, entry.type, entry.ordinal}).second,
                        kPostings, "{} of {} was posted twice", name_of(entry.type),
                        to_text(ObjectRef(entry.document_type, entry.document_id)));
  }
  for (const auto& [journal, sum] : sums)
    findings_.require(sum == 0, kLedger, "{} does not sum to zero", to_text(journal.first));
}

void MoneyAuditor::check_entry(const Entry& entry) {
  Chain& chain = chains_[entry.account_id];
  findings_.require(entry.balance_before == chain.balance && entry.balance_after == chain.balance + entry.amount,
                    kLedger, "{} of {} starts at {} and ends at {}; the balance was {}", to_text(entry.id),
                    to_text(entry.account_id), entry.balance_before, entry.balance_after, chain.balance);
  findings_.require(entry.previous_id == chain.last, kLedger, "{} does not follow the last entry of its account",
                    to_text(entry.id));
  chain.balance = entry.balance_after;
  chain.last = entry.id;
}

void MoneyAuditor::check_account(const Account& account, const WorkingSet& rows) {
  const std::string id = to_text(account.id);
  const Chain& chain = chains_[account.id];
  findings_.require(account.balance == chain.balance, kLedger, "{} has {}, its entries sum to {}", id, account.balance,
                    chain.balance);
  findings_.require(account.held == held_[account.id], kLedger, "{} holds {}, its holds sum to {}", id, account.held,
                    held_[account.id]);
  if (account.kind == AccountKind::user)
    findings_.require(account.balance - account.held + account.overdraft >= 0, kLedger, "{} is overdrawn", id);
  const auto before = accounts_.find(account.id);
  const bool touched = std::ranges::any_of(rows.events, [&](const Event& event) {
    return event.object_id == account.id.value && event.cell == fsm::CellKind::move;
  });
  if (before != accounts_.end() && before->second.state == AccountState::frozen && !touched)
    findings_.require(account.balance >= before->second.balance, kLedger, "{} is frozen, but was debited", id);
  if (before != accounts_.end()) check_lock(before->second, account, rows);
  accounts_.insert_or_assign(account.id, account);
}

// Checks that a lock is replaced or removed only after its holder has released it, or after it has expired.
void MoneyAuditor::check_lock(const Account& before, const Account& now, const WorkingSet& rows) {
  if (!before.lock_token || before.lock_token == now.lock_token) return;
  Time at;
  for (const Event& event : rows.events)
    if (event.object_id == now.id.value) at = std::max(at, event.at);
  findings_.require(released_tokens_.contains(*before.lock_token) || *before.lock_expires_at <= at, "14 fencing",
                    "{} was locked until {}, but locked again at {}", to_text(now.id),
                    to_rfc3339(*before.lock_expires_at), to_rfc3339(at));
}

void MoneyAuditor::check_holds(const WorkingSet& rows) {
  rows.holds.each([&](const HoldId& id, const auto& base, const auto& now) {
    if (!now || (base && base->version == now->version)) return;
    const auto before = holds_.find(id);
    held_[now->account_id] += held_by(*now) - (before != holds_.end() ? held_by(before->second) : 0);
    if (before != holds_.end()) check_hold_end(before->second, *now, rows);
    findings_.require(now->posted_amount <= now->amount, kLedger, "{} posted more than it held", to_text(id));
    if (before == holds_.end())
      findings_.require(references_.insert({now->merchant_id, ObjectType::hold, now->source, now->reference}).second,
                        kPostings, "the hold {} {} was created twice", now->source, now->reference);
    holds_.insert_or_assign(id, *now);
  });
}

// Checks that a hold expires only after its expiry time, and that it is posted or voided only before.
void MoneyAuditor::check_hold_end(const Hold& before, const Hold& now, const WorkingSet& rows) {
  if (before.state == now.state) return;
  const auto ended = std::ranges::find_if(
      rows.events, [&](const Event& event) { return event.object_id == now.id.value && event.from_state; });
  if (ended == rows.events.end()) return;
  if (before.source == kWallet)  // its authorization ends it, whatever its expiry time is
    return findings_.require(now.state != HoldState::expired, kLedger, "{} of an authorization has expired",
                             to_text(now.id));
  const bool in_time = ended->at < before.expires_at;
  findings_.require(in_time == (now.state != HoldState::expired), kLedger, "{} expires at {}, but was {} at {}",
                    to_text(now.id), to_rfc3339(before.expires_at), name_of(now.state), to_rfc3339(ended->at));
}

// Checks invariant 4: the balance of the suspense account equals the sum of the receipts in suspense.
void MoneyAuditor::check_suspense(const WorkingSet& rows) {
  std::set<std::pair<MerchantId, Currency>> touched;
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (!now || (base && base->order.version == now->order.version)) return;
    std::set<Currency> currencies;
    for (const Receipt& receipt : now->receipts) currencies.insert(receipt.currency);
    for (const Currency currency : currencies) {
      const MinorUnits change = suspended(*now, currency) - (base ? suspended(*base, currency) : 0);
      suspense_[{now->order.merchant_id, currency}] += change;
      touched.insert({now->order.merchant_id, currency});
    }
  });
  for (const auto& [id, account] : accounts_) {
    const std::pair whose(account.merchant_id, account.currency);
    if (account.kind == AccountKind::suspense && touched.contains(whose))
      findings_.require(account.balance == suspense_[whose], "4 suspense", "{} has {}, the receipts sum to {}",
                        to_text(id), account.balance, suspense_[whose]);
  }
}

void MoneyAuditor::check_references(const WorkingSet& rows) {
  rows.transfers.each([&](const TransferId& id, const auto& base, const auto& now) {
    if (now && !base) transfers_[{now->merchant_id, now->source, now->reference}] = id;
    if (now && !base)
      findings_.require(
          references_.insert({now->merchant_id, ObjectType::transfer, now->source, now->reference}).second, kPostings,
          "the transfer {} {} was created twice", now->source, now->reference);
  });
}

}  // namespace finality::sim
