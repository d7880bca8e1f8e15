#include "sim/auditors/end_audit.h"

#include <algorithm>
#include <map>

#include "model/row_types.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

constexpr const char* kQuiet = "16 final or in the exception queue";
constexpr const char* kPayer = "8 the payer's money";
constexpr const char* kStored = "1 stored state";
constexpr std::size_t kEventsMax = 1000;  // events read per order; orders have at most a few hundred
constexpr std::size_t kEntriesOfPage = 50;

bool has_open_case(const OrderAggregate& aggregate) {
  return std::ranges::any_of(aggregate.cases, [](const Case& row) { return !case_machine.is_final(row.state); });
}

template <class Row>
void check_final(const Row& row, Findings& findings) {
  if constexpr (kHasMachine<Row>)
    findings.require(finality::machine_of(row.state).is_final(row.state), kQuiet, "{} is still {}", to_text(row.id),
                     name_of(row.state));
}

void check_quiet(const OrderAggregate& aggregate, Findings& findings) {
  if (has_open_case(aggregate)) return;
  check_final(aggregate.order, findings);
  for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
    if constexpr (!std::is_same_v<ChildRow<decltype(member)>, Case>)
      for (const auto& row : aggregate.*member) check_final(row, findings);
  });
  for (const Payment& payment : aggregate.payments)
    findings.require(!payment.due_at, kQuiet, "{} is {} and still due", to_text(payment.id), name_of(payment.state));
  for (const Receipt& receipt : aggregate.receipts)
    findings.require(receipt.state != ReceiptState::suspense, kQuiet, "{} is still in suspense", to_text(receipt.id));
}

void check_trace(Reader& reader, std::int64_t root, std::int64_t version, Findings& findings);

// Checks that state and version of the stored order equal the last commit. Detects a lost update: a commit that another
// commit has overwritten.
void check_stored(Reader& reader, const OrderAggregate& committed, Findings& findings) {
  const auto stored = reader.order(committed.order.id);
  const bool there = stored && *stored;
  findings.require(there, kStored, "{} is not stored", to_text(committed.order.id));
  if (!there) return;
  findings.require(
      (*stored)->order.version == committed.order.version && (*stored)->order.state == committed.order.state, kStored,
      "{} is {} at version {}; the last commit wrote {} at {}", to_text(committed.order.id),
      name_of((*stored)->order.state), (*stored)->order.version, name_of(committed.order.state),
      committed.order.version);
  check_trace(reader, committed.order.id.value, committed.order.version, findings);
}

// Checks that the order has an event for its last version. Reads all events, because an engine with a fast clock can
// write earlier events with later timestamps.
void check_trace(Reader& reader, std::int64_t root, std::int64_t version, Findings& findings) {
  const auto events = reader.events(root, std::nullopt, {.limit = kEventsMax}, false);
  findings.require(events && std::ranges::find(events->rows, version, &Event::root_version) != events->rows.end(),
                   kStored, "{} is at version {}, which no event explains", to_text(OrderId{root}), version);
}

// Checks that the account's balance equals the balance after its last entry, and that each entry starts with the
// balance after the previous entry. Reads the statement in pages back to the first entry, as a client does.
void check_statement(Reader& reader, const Account& account, Findings& findings) {
  std::optional<EntryId> next = account.last_entry_id;
  MinorUnits balance = account.balance;
  Page page{.limit = kEntriesOfPage};
  while (next) {
    const EntryId first = *next;
    const auto statement = reader.entries(account, {}, page);
    bool is_whole = statement && !statement->rows.empty();
    if (is_whole) {
      for (const Entry& entry : statement->rows) {
        is_whole = is_whole && next == entry.id && entry.balance_after == balance;
        next = entry.previous_id;
        balance = entry.balance_before;
      }
      is_whole = is_whole && statement->has_more == next.has_value();
      page.after = statement->rows.back().id.value;
    }
    findings.require(is_whole, kStored, "the statement of {} is incomplete from {} on", to_text(account.id),
                     to_text(first));
    if (!is_whole) return;
  }
  findings.require(balance == 0, kStored, "the statement of {} starts with balance {}", to_text(account.id), balance);
}

/// The receipt of one trade at the channel, and its order; null if the trade has no receipt.
struct Booked {
  const Receipt* receipt = nullptr;
  const OrderAggregate* order = nullptr;
};

bool is_of(const OrderAggregate& aggregate, const Refund& refund, const Receipt& receipt) {
  const Receipt* refunded = refunded_receipt(aggregate, refund);
  return refunded != nullptr && refunded->id == receipt.id;
}

// Returns the amount of the receipt that was refunded through the channel, according to the stored rows.
MinorUnits booked_back(const OrderAggregate& aggregate, const Receipt& receipt) {
  MinorUnits sum = 0;
  for (const Refund& refund : aggregate.refunds)
    if (is_of(aggregate, refund, receipt) && refund.state == RefundState::succeeded) sum += refund.amount;
  for (const Reversal& reversal : aggregate.reversals)
    if (reversal.receipt_id == receipt.id && reversal.state == ReversalState::succeeded) sum += reversal.amount;
  return sum;
}

// Returns the amount of the receipt's refunds that was booked as returned by the payer's bank.
MinorUnits booked_returned(const OrderAggregate& aggregate, const Receipt& receipt) {
  MinorUnits sum = 0;
  for (const Return& row : aggregate.returns)
    if (is_of(aggregate, *find_row(aggregate.refunds, row.refund_id), receipt)) sum += row.amount;
  return sum;
}

// Returns true if a refund or reversal was sent repeatedly, but the channel has no record of it. It is unknown whether
// a refunded total that the channel reports includes it, so the total is booked only after operators have acted.
bool waits_for_operators(const OrderAggregate& order) {
  const auto has_case = [&](const auto& row) {
    return !machine_of(row.state).is_final(row.state) && std::ranges::any_of(order.cases, [&](const Case& record) {
      return record.kind == CaseKind::not_accepted && record.object_id == row.id.value;
    });
  };
  return std::ranges::any_of(order.refunds, has_case) || std::ranges::any_of(order.reversals, has_case);
}

// Checks that the reported settlement of the trade is booked with its amount. The settlement of a receipt that
// operators have written off requires an exception case instead.
void check_settlement(const Trade& trade, const Booked& booked, Findings& findings) {
  if (!trade.settlement) return;
  const auto& rows = booked.order->channel_settlements;
  const auto row = std::ranges::find(rows, trade.settlement->transaction_no, &ChannelSettlement::transaction_no);
  const bool is_booked = row != rows.end() && row->settled_amount == trade.settlement->amount &&
                         row->document_id == booked.receipt->id.value;
  const bool has_case = std::ranges::count(booked.order->cases, CaseKind::report_mismatch, &Case::kind) > 0;
  findings.require(is_booked || (booked.receipt->written_off != 0 && has_case), kPayer,
                   "{} was settled with {}, which is not booked", trade.trade_no, trade.settlement->amount);
}

void check_trade(const Trade& trade, const Booked& booked, Findings& findings) {
  const MinorUnits kept = trade.paid - trade.requested_refunds - trade.external_refunds - trade.cash_refunds;
  if (booked.receipt == nullptr) {
    findings.require(kept == 0, kPayer, "{} collected {} from its payer, but has no receipt", trade.trade_no, kept);
    return;
  }
  const Receipt& receipt = *booked.receipt;
  const std::optional<CollectedBy> of = collected_by(*booked.order, receipt);
  findings.require(of && trade.amount == of->amount, kPayer, "{} asks its payer for {}", trade.trade_no, trade.amount);
  check_settlement(trade, booked, findings);
  findings.require(receipt.amount == trade.paid, kPayer, "{} was paid {}, booked {}", trade.trade_no, trade.paid,
                   receipt.amount);
  // The amount refunded by the channel, with and without a request. The booked amount can be smaller if the channel
  // reported an executed refund as refused.
  const MinorUnits back = trade.requested_refunds + trade.external_refunds;
  const MinorUnits unbooked = back - booked_back(*booked.order, receipt);
  findings.require(unbooked >= 0 && (unbooked <= trade.denied_refunds || waits_for_operators(*booked.order)), kPayer,
                   "{}: {} refunded to the payer, {} booked", trade.trade_no, back,
                   booked_back(*booked.order, receipt));
  // The return of a reversal is not booked, but requires an exception case.
  const bool is_disputed = std::ranges::count(booked.order->cases, CaseKind::conflicting_result, &Case::kind) > 0;
  const MinorUnits returned = booked_returned(*booked.order, receipt);
  findings.require(returned == trade.returned || (is_disputed && returned < trade.returned), kPayer,
                   "{}: {} of its refunds returned, {} booked", trade.trade_no, trade.returned, returned);
  if (receipt.state == ReceiptState::accepted) return;
  // If the channel also refunds an amount that operators have already paid in cash, an exception case is required.
  const bool has_case = std::ranges::any_of(booked.order->cases, [&](const Case& row) {
    const Refund* refund = find_row(booked.order->refunds, RefundId{row.object_id});
    return refund != nullptr && refund->receipt_id == receipt.id;
  });
  findings.require(kept + trade.returned >= 0 || (trade.cash_refunds > 0 && has_case), kPayer,
                   "{}: {} refunded in excess of the payment, without a case", trade.trade_no, -kept - trade.returned);
  if (receipt.state == ReceiptState::returned)
    findings.require(kept <= 0, kPayer, "{} is returned, but the payer lacks {}", trade.trade_no, kept);
}

}  // namespace

void audit_end(Reader& reader, const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream,
               const std::set<DeliveryId>& received, Findings& findings) {
  std::map<std::pair<std::string, std::string>, Booked> booked;
  for (const auto& [id, aggregate] : orders.orders()) {
    check_stored(reader, aggregate, findings);
    const auto stored = reader.order(id);
    if (!stored || !*stored) continue;
    check_quiet(**stored, findings);
    for (const Receipt& receipt : aggregate.receipts)
      booked[{receipt.channel, receipt.channel_trade_no}] = {&receipt, &aggregate};
  }
  for (const auto& trade : upstream.trades()) {
    const auto at = booked.find({trade->channel, trade->trade_no});
    check_trade(*trade, at == booked.end() ? Booked{} : at->second, findings);
  }
  for (const auto& [id, delivery] : orders.deliveries()) {
    findings.require(delivery.state != DeliveryState::pending, kQuiet, "{} is still pending", to_text(id));
    findings.require(delivery.state != DeliveryState::delivered || received.contains(id), "11 deliveries",
                     "{} is delivered, but no server received it", to_text(id));
  }
  for (const auto& [id, hold] : money.holds())
    findings.require(hold_machine.is_final(hold.state), kQuiet, "{} is still held", to_text(id));
  for (const auto& [id, account] : money.accounts()) {
    const auto stored = reader.account(id);
    findings.require(
        stored && *stored && (*stored)->balance == account.balance && (*stored)->version == account.version, kStored,
        "{} differs from the last commit", to_text(id));
    check_statement(reader, account, findings);
  }
}

}  // namespace finality::sim
