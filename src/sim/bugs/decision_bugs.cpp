#include "sim/bugs/decision_bugs.h"

#include <algorithm>
#include <map>

#include "sim/bugs/mutate_rows.h"

namespace finality::sim {
namespace {

// Returns the entries of the last posting of the commit.
std::vector<Entry> last_posting(const WorkingSet& rows) {
  std::vector<Entry> posting;
  for (const Entry& entry : rows.entries)
    if (entry.journal_id == rows.entries.back().journal_id) posting.push_back(entry);
  return posting;
}

// Posts a copy of the journal with that ordinal. REQUIRES: the commit has entries.
void post_again(WorkingSet& rows, const std::vector<Entry>& journal, std::int64_t ordinal) {
  const EntryId last = rows.entries.back().id;
  std::int64_t next = last.value;
  for (Entry entry : journal) {
    Account& account = rows.accounts.change(entry.account_id);
    entry.id = EntryId{++next};
    entry.journal_id = EntryId{last.value + 1};
    entry.ordinal = ordinal;
    entry.previous_id = account.last_entry_id;
    entry.balance_before = account.balance;
    entry.balance_after = account.balance += entry.amount;
    account.last_entry_id = entry.id;
    account.version += 1;
    rows.entries.push_back(entry);
  }
}

void post_twice(WorkingSet& rows) {
  if (rows.entries.empty()) return;
  const std::vector<Entry> posting = last_posting(rows);
  post_again(rows, posting, posting.front().ordinal);
}

// Posts each adjustment of the commit a second time, with the next ordinal.
void post_adjustments_twice(WorkingSet& rows) {
  std::map<EntryId, std::vector<Entry>> journals;
  for (const Entry& entry : rows.entries)
    if (entry.document_type == ObjectType::adjustment) journals[entry.journal_id].push_back(entry);
  for (const auto& [id, journal] : journals) post_again(rows, journal, journal.front().ordinal + 1);
}

// Every approval of the commit is by the key that proposed it.
void approve_own_proposals(WorkingSet& rows) {
  const auto changes = [](const auto&, const auto& now) {
    return std::ranges::any_of(now.cases,
                               [](const Case& row) { return row.approved_by && row.approved_by != row.proposed_by; });
  };
  const auto approve = [](auto& aggregate) {
    for (Case& row : aggregate.cases)
      if (row.approved_by) row.approved_by = row.proposed_by;
  };
  each_row(rows.orders, changes, approve);
  each_row(rows.deliveries, changes, approve);
  each_row(rows.unknown_receipts, changes, approve);
  each_row(rows.differences, changes, approve);
}

// Every posted adjustment of the commit is approved by the key that proposed it.
void post_own_adjustments(WorkingSet& rows) {
  each_row(
      rows.adjustments, [](const auto&, const Adjustment& now) { return now.state == AdjustmentState::posted; },
      [](Adjustment& row) { row.decided_by = row.proposed_by; });
}

void post_one_side(WorkingSet& rows) {
  if (rows.entries.empty()) return;
  const Entry entry = rows.entries.back();
  Account& account = rows.accounts.change(entry.account_id);
  account.balance -= entry.amount;
  account.version -= 1;
  account.last_entry_id = entry.previous_id;
  rows.entries.pop_back();
}

void move_without_entry(WorkingSet& rows) {
  if (!rows.entries.empty()) rows.accounts.change(rows.entries.back().account_id).balance += 1;
}

void post_too_much(WorkingSet& rows) {
  const std::vector<Entry> posting = rows.entries.empty() ? std::vector<Entry>() : last_posting(rows);
  const std::size_t before = rows.entries.size() - posting.size();
  for (std::size_t i = before; i < rows.entries.size(); ++i) {
    Entry& entry = rows.entries[i];
    rows.accounts.change(entry.account_id).balance += entry.amount;
    entry.balance_after += entry.amount;
    entry.amount *= 2;
  }
}

void lose_last_event(WorkingSet& rows) {
  if (rows.events.size() > 1) rows.events.pop_back();
}

void reuse_id(WorkingSet& rows) {
  if (rows.events.size() > 1) rows.events.back().id = rows.events.front().id;
}

void accept_everything(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Receipt& receipt : order.receipts)
      if (receipt.state == ReceiptState::suspense) receipt.state = ReceiptState::accepted;
  });
}

void drop_reversals(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.reversals.clear(); });
}

void keep_fees(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds) refund.fee_returned = 0;
  });
}

void drop_new_deliveries(WorkingSet& rows) { lose_rows(rows.deliveries, is_new); }

void change_delivery_type(WorkingSet& rows) {
  each_row(rows.deliveries, is_new, [](DeliveryAggregate& row) {
    if (row.delivery.type == "order.closed") row.delivery.type = "order.failed";
  });
}

void change_refunded_amount(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.order.refunded_amount += 1; });
}

void book_another_amount(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Receipt& receipt : order.receipts) receipt.amount += 1;
  });
}

void reopen(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Payment& payment : order.payments)
      if (payment.state == PaymentState::closed) payment.state = PaymentState::pending;
  });
}

void drop_result_overdue_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.cases, [](const Case& row) {
      return row.kind == CaseKind::result_overdue && row.object_type != ObjectType::payment;
    });
  });
}

// Removes the rows of external refunds, but keeps their postings.
void drop_external_refunds(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.refunds, [](const Refund& refund) { return refund.origin == RefundOrigin::channel; });
  });
}

void drop_external_refund_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.cases, [](const Case& row) {
      return row.kind == CaseKind::external_refund || row.kind == CaseKind::refunded_twice;
    });
  });
}

void drop_numbers(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Receipt& receipt : order.receipts) {
      receipt.refund_numbers.clear();
      receipt.numbered_refunds = 0;
    }
  });
}

void drop_over_refunded_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.cases, [](const Case& row) { return row.kind == CaseKind::over_refunded; });
  });
}

void drop_returns(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.returns.clear(); });
}

void keep_fee_after_return(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds) refund.fee_charged_again = 0;
  });
}

void drop_reported_totals(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Receipt& receipt : order.receipts) receipt.reported_refunded = 0;
  });
}

void return_in_full(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Reversal& reversal : order.reversals)
      for (const Receipt& receipt : order.receipts)
        if (receipt.id == reversal.receipt_id && !reversal_machine.is_final(reversal.state))
          reversal.amount = receipt.amount;
  });
}

// Resets the send counters of payments and refunds, so that the maximum number of sends is never reached.
void reset_sends(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Payment& payment : order.payments) payment.sends = 0;
    for (Refund& refund : order.refunds) refund.sends = 0;
  });
}

void drop_send_deadline(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds)
      if (refund_machine.is_final(refund.state)) refund.send_deadline.reset();
  });
}

// Removes the out_refund_no of a temporarily refused refund, so that the next send uses a new out_refund_no.
void take_another_number(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds)
      if (refund.state == RefundState::pending && refund.failure_code == "not_enough") refund.out_refund_no.clear();
  });
}

void drop_not_accepted_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.cases, [](const Case& row) { return row.kind == CaseKind::not_accepted; });
  });
}

void refund_over_another_account(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds) refund.channel_account_id.value += 1;
  });
}

void pin_other_funds(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Payment& payment : order.payments)
      if (payment.state == PaymentState::created) payment.funds = Funds::platform;
  });
}

// Opens merchant_direct with the kind of money that the platform pays out.
void open_direct_as_payable(WorkingSet& rows) {
  for (const Entry& entry : rows.entries) {
    Account& account = rows.accounts.change(entry.account_id);
    if (account.kind == AccountKind::merchant_direct) account.kind = AccountKind::merchant_payable;
  }
}

// Opens the ledger account of every bank account under one name.
void confuse_bank_accounts(WorkingSet& rows) {
  for (const Entry& entry : rows.entries) {
    Account& account = rows.accounts.change(entry.account_id);
    if (account.kind == AccountKind::bank && !account.channel.empty()) account.channel = "bank_c";
  }
}

bool is_conversion(const Entry& entry) {
  return entry.type == EntryType::receipt_converted || entry.type == EntryType::refund_converted;
}

void convert_twice(WorkingSet& rows) {
  if (!rows.entries.empty() && is_conversion(rows.entries.back())) post_twice(rows);
}

// Calculates the settled amounts of new receipts with the rate 0.14, in the settlement and in its postings.
void convert_by_rate(WorkingSet& rows) {
  each_changed_order(rows, [&](OrderAggregate& order) {
    for (ChannelSettlement& row : order.channel_settlements) {
      const MinorUnits by_rate = row.amount * 14 / 100;
      const MinorUnits excess = by_rate - row.settled_amount;
      bool is_new = false;
      for (Entry& entry : rows.entries) {
        if (entry.document_id != row.id.value || entry.type != EntryType::receipt_converted) continue;
        is_new = true;
        if (entry.currency != row.settled_currency) continue;
        const MinorUnits by = entry.amount < 0 ? -excess : excess;
        entry.amount += by;
        entry.balance_after += by;
        rows.accounts.change(entry.account_id).balance += by;
        for (Entry& later : rows.entries) {
          if (later.account_id != entry.account_id || later.id <= entry.id) continue;
          later.balance_before += by;
          later.balance_after += by;
        }
      }
      if (is_new) row.settled_amount = by_rate;
    }
  });
}

void drop_settlements(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) { order.channel_settlements.clear(); });
}

void forget_accepted_differences(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Receipt& receipt : order.receipts) receipt.accepted_difference = 0;
  });
}

// Operators accept every payment under review with the order's amount instead of the received one.
void accept_the_orders_amount(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (const Receipt& receipt : order.receipts)
      if (receipt.accepted_difference != 0) order.order.paid_amount = order.order.amount;
  });
}

void drop_mismatch_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.cases, [](const Case& row) { return row.kind == CaseKind::amount_mismatch; });
  });
}

void assign_in_the_books_of_the_platform(WorkingSet& rows) {
  for (Entry& entry : rows.entries)
    if (entry.type == EntryType::receipt_assigned) entry.merchant_id = kPlatform;
}

auto is_in(UnknownReceiptState state) {
  return [state](const auto&, const UnknownReceiptAggregate& row) { return row.unknown_receipt.state == state; };
}

void unassign(UnknownReceiptAggregate& row) {
  row.unknown_receipt.state = UnknownReceiptState::unassigned;
  row.unknown_receipt.assigned_to.reset();
}

void keep_assigned_in_suspense(WorkingSet& rows) {
  each_row(rows.unknown_receipts, is_in(UnknownReceiptState::assigned), unassign);
}

void keep_cancelled_in_suspense(WorkingSet& rows) {
  each_row(rows.unknown_receipts, is_in(UnknownReceiptState::cancelled), unassign);
}

void drop_difference_cases(WorkingSet& rows) {
  each_row(
      rows.differences,
      [](const auto& base, const DifferenceAggregate& now) {
        return !base || base->difference.version != now.difference.version;
      },
      [](DifferenceAggregate& row) { row.cases.clear(); });
}

void count_refunds_as_payments(WorkingSet& rows) {
  each_row(
      rows.statements, [](const auto&, const StatementAggregate& now) { return !now.totals.empty(); },
      [](StatementAggregate& row) {
        for (StatementTotal& total : row.totals) total.payments = total.lines;
      });
}

constexpr Bug kBugs[] = {
    {.name = "a posting is doubled", .decision = post_twice},
    {.name = "one side is posted", .decision = post_one_side},
    {.name = "a balance moves without an entry", .decision = move_without_entry},
    {.name = "twice the amount is posted", .decision = post_too_much},
    {.name = "an event is lost", .decision = lose_last_event},
    {.name = "an id is given twice", .decision = reuse_id},
    {.name = "every receipt is accepted", .decision = accept_everything},
    {.name = "late money is kept", .decision = drop_reversals},
    {.name = "a fee is not returned", .decision = keep_fees},
    {.name = "no webhook is sent", .decision = drop_new_deliveries},
    {.name = "a webhook reports another end", .decision = change_delivery_type},
    {.name = "refunded amounts are counted wrong", .decision = change_refunded_amount},
    {.name = "another amount is booked", .decision = book_another_amount},
    {.name = "a closed payment is open", .decision = reopen},
    {.name = "an external refund is forgotten", .decision = drop_external_refunds},
    {.name = "an external refund opens no case", .decision = drop_external_refund_cases},
    {.name = "a reported refund number is forgotten", .decision = drop_numbers},
    {.name = "a total that came too early is forgotten", .decision = drop_reported_totals},
    {.name = "a reversal sends back what the channel has refunded", .decision = return_in_full},
    {.name = "an over-refund opens no case", .decision = drop_over_refunded_cases},
    {.name = "a return is forgotten", .decision = drop_returns},
    {.name = "a fee is not charged again", .decision = keep_fee_after_return},
    {.name = "a payment is sent without end", .decision = reset_sends},
    {.name = "the pause between refunds is forgotten", .decision = drop_send_deadline},
    {.name = "a refusal for the moment takes a new number", .decision = take_another_number},
    {.name = "vain sendings open no case", .decision = drop_not_accepted_cases},
    {.name = "a refund goes over another account", .decision = refund_over_another_account},
    {.name = "a payment stores other funds", .decision = pin_other_funds},
    {.name = "money of a merchant is payable", .decision = open_direct_as_payable},
    {.name = "bank accounts are confused", .decision = confuse_bank_accounts},
    {.name = "a payment is converted twice", .decision = convert_twice},
    {.name = "a conversion uses the rate", .decision = convert_by_rate},
    {.name = "a settlement is forgotten", .decision = drop_settlements},
    {.name = "an accepted difference is forgotten", .decision = forget_accepted_differences},
    {.name = "a mismatch is accepted with the order's amount", .decision = accept_the_orders_amount},
    {.name = "a wrong amount opens no case", .decision = drop_mismatch_cases},
    {.name = "a stranded refund opens no case", .decision = drop_result_overdue_cases},
    {.name = "an assignment is posted in the books of the platform", .decision = assign_in_the_books_of_the_platform},
    {.name = "an assigned receipt stays unassigned", .decision = keep_assigned_in_suspense},
    {.name = "a cancelled receipt stays unassigned", .decision = keep_cancelled_in_suspense},
    {.name = "an adjustment is posted twice by ordinal", .decision = post_adjustments_twice},
    {.name = "a case is approved by its proposer", .decision = approve_own_proposals},
    {.name = "an adjustment is approved by its proposer", .decision = post_own_adjustments},
    {.name = "a difference opens no case", .decision = drop_difference_cases},
    {.name = "refunds of a statement are counted as payments", .decision = count_refunds_as_payments},
};

}  // namespace

std::span<const Bug> decision_bugs() { return kBugs; }

}  // namespace finality::sim
