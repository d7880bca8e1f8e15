#include "sim/auditors/end_audit.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/row_types.h"
#include "sim/auditors/captured.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

constexpr const char* kQuiet = "16 final or in the exception queue";
constexpr const char* kPayer = "8 the payer's money";
constexpr const char* kHolds = "8 the payer's holds";
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
  const auto check_due = [&](const auto& rows) {
    for (const auto& row : rows)
      findings.require(!row.due_at, kQuiet, "{} is {} and still due", to_text(row.id), name_of(row.state));
  };
  check_due(aggregate.payments);
  check_due(aggregate.authorizations);
  check_due(aggregate.captures);
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

/// The receipts of the trades with one trade_no at a channel, and their order: one receipt, or those of captures that
/// share the number. Empty if the trade has no receipt.
struct Booked {
  std::vector<const Receipt*> receipts{};
  const OrderAggregate* order = nullptr;
};

/// The trades with one trade_no, as one.
struct TradeGroup {
  std::vector<const Trade*> trades;

  const Trade& first() const { return *trades.front(); }
  MinorUnits sum(MinorUnits Trade::* member) const {
    MinorUnits sum = 0;
    for (const Trade* trade : trades) sum += trade->*member;
    return sum;
  }
};

bool is_of(const OrderAggregate& aggregate, const Refund& refund, const Booked& booked) {
  const Receipt* refunded = refunded_receipt(aggregate, refund);
  return std::ranges::find(booked.receipts, refunded) != booked.receipts.end() && refunded != nullptr;
}

// Returns the amount of the receipts that was refunded through the channel, according to the stored rows.
MinorUnits booked_back(const Booked& booked) {
  MinorUnits sum = 0;
  for (const Refund& refund : booked.order->refunds)
    if (is_of(*booked.order, refund, booked) && refund.state == RefundState::succeeded) sum += refund.amount;
  for (const Reversal& reversal : booked.order->reversals)
    if (reversal.state == ReversalState::succeeded &&
        std::ranges::count(booked.receipts, reversal.receipt_id, &Receipt::id) > 0)
      sum += reversal.amount;
  return sum;
}

// Returns the amount of the receipts' refunds that was booked as returned by the payer's bank.
MinorUnits booked_returned(const Booked& booked) {
  MinorUnits sum = 0;
  for (const Return& row : booked.order->returns) {
    const Refund* refund = find_row(booked.order->refunds, row.refund_id);  // OrderAuditor has reported a missing one
    if (refund != nullptr && is_of(*booked.order, *refund, booked)) sum += row.amount;
  }
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
void check_settlement(const Trade& trade, const Receipt& receipt, const OrderAggregate& order, Findings& findings) {
  if (!trade.settlement) return;
  const auto& rows = order.channel_settlements;
  const auto row = std::ranges::find(rows, trade.settlement->transaction_no, &ChannelSettlement::transaction_no);
  const bool is_booked =
      row != rows.end() && row->settled_amount == trade.settlement->amount && row->document_id == receipt.id.value;
  const bool has_case = std::ranges::count(order.cases, CaseKind::report_mismatch, &Case::kind) > 0;
  findings.require(is_booked || (receipt.written_off != 0 && has_case), kPayer,
                   "{} was settled with {}, which is not booked", trade.trade_no, trade.settlement->amount);
}

// Checks a receipt against its own trade.
void check_receipt(const Trade& trade, const Receipt& receipt, const OrderAggregate& order, Findings& findings) {
  const std::optional<CollectedBy> of = collected_by(order, receipt);
  findings.require(of && trade.amount == of->amount, kPayer, "{} asks its payer for {}", trade.trade_no, trade.amount);
  check_settlement(trade, receipt, order, findings);
  findings.require(receipt.amount == trade.paid, kPayer, "{} was paid {}, booked {}", trade.trade_no, trade.paid,
                   receipt.amount);
}

/// What the channel and the operators did with the money of a trade.
struct TradeMoney {
  MinorUnits kept = 0;      // paid and not refunded
  MinorUnits returned = 0;  // part of the refunds that the payer's bank returned
  MinorUnits cash = 0;      // refunded by operators outside the channel
  bool is_queried = true;   // the channel is queried about the trade; false for captures by other systems
};

// Checks that the receipts which the order does not need were refunded to the payer. Captures that share a trade number
// are one trade: the channel keeps only the amount that was collected for the order and not refunded.
void check_unneeded(const Booked& booked, const std::string& number, const TradeMoney& money, Findings& findings) {
  const OrderAggregate& order = *booked.order;
  MinorUnits needed = 0;
  bool is_returned = false;
  bool is_accepted = false;
  for (const Receipt* receipt : booked.receipts) {
    is_returned = is_returned || receipt->state == ReceiptState::returned;
    is_accepted = is_accepted || receipt->state == ReceiptState::accepted;
    // A receipt in suspense waits for operators: its money is kept.
    if (receipt->state != ReceiptState::returned) needed += receipt->amount;
  }
  for (const Refund& refund : order.refunds) {
    const Receipt* of = refunded_receipt(order, refund);
    const bool counts = refund.state == RefundState::succeeded && is_of(order, refund, booked);
    if (counts && of->state != ReceiptState::returned) needed -= refund.amount;
  }
  if (is_returned)
    findings.require(money.kept <= std::max<MinorUnits>(needed, 0), kPayer,
                     "{}: a receipt is returned, but the payer lacks {}", number, money.kept - needed);
  if (is_accepted) return;
  // If the channel also refunds an amount that operators have already paid in cash, an exception case is required, if
  // the channel is asked about the trade at all.
  const bool has_case = std::ranges::any_of(order.cases, [&](const Case& row) {
    const Refund* refund = find_row(order.refunds, RefundId{row.object_id});
    return refund != nullptr && is_of(order, *refund, booked);
  });
  findings.require(money.kept + money.returned >= 0 || (money.cash > 0 && (has_case || !money.is_queried)), kPayer,
                   "{}: {} refunded in excess of the payment, without a case", number, -money.kept - money.returned);
}

// Checks what was refunded of the trades against their receipts.
void check_refunds(const TradeGroup& group, const Booked& booked, Findings& findings) {
  const std::string& number = group.first().trade_no;
  const MinorUnits back = group.sum(&Trade::requested_refunds) + group.sum(&Trade::external_refunds);
  const MinorUnits cash = group.sum(&Trade::cash_refunds);
  const MinorUnits kept = group.sum(&Trade::paid) - back - cash;
  if (booked.receipts.empty()) {
    findings.require(kept == 0, kPayer, "{} collected {} from its payer, but has no receipt", number, kept);
    return;
  }
  // The amount refunded by the channel, with and without a request. The booked amount can be smaller if the channel
  // reported an executed refund as refused.
  const MinorUnits booked_amount = booked_back(booked);
  const MinorUnits unbooked = back - booked_amount;
  findings.require(
      unbooked >= 0 && (unbooked <= group.sum(&Trade::denied_refunds) || waits_for_operators(*booked.order)), kPayer,
      "{}: {} refunded to the payer, {} booked", number, back, booked_amount);
  // The return of a reversal is not booked, but requires an exception case.
  const bool is_disputed = std::ranges::count(booked.order->cases, CaseKind::conflicting_result, &Case::kind) > 0;
  const MinorUnits trade_returned = group.sum(&Trade::returned);
  const MinorUnits returned = booked_returned(booked);
  const bool is_queried = !std::ranges::all_of(group.trades, [](const Trade* trade) { return trade->is_external; });
  findings.require(returned == trade_returned || (is_disputed && returned < trade_returned), kPayer,
                   "{}: {} of its refunds returned, {} booked", number, trade_returned, returned);
  check_unneeded(booked, number, {.kept = kept, .returned = trade_returned, .cash = cash, .is_queried = is_queried},
                 findings);
}

// Checks that nothing is held any more, and that every capture is booked. A capture by another system that the channel
// reported only in a total has a receipt of its amount, but without the number of its trade.
void check_hold(const UpstreamHold& hold, const OrderAuditor& orders, Findings& findings) {
  const OrderAggregate* order = orders.order_named(hold.out_trade_no);
  if (order == nullptr) return findings.require(false, kHolds, "{} belongs to no order", hold.out_trade_no);
  const auto row = std::ranges::find(order->authorizations, hold.out_trade_no, &Authorization::out_trade_no);
  if (row == order->authorizations.end())
    return findings.require(false, kHolds, "{} belongs to no authorization", hold.out_trade_no);
  findings.require(hold.held() == 0 || has_open_case(*order), kHolds, "{} is {}, but the channel still holds {}",
                   to_text(row->id), name_of(row->state), hold.held());
  // For days, queries have reported the end. Only a capture without a result, which operators look at, delays it.
  const bool is_recorded = hold.state != UpstreamHoldState::ended || authorization_machine.is_final(row->state) ||
                           (captured_of(*order, *row).has_open && has_open_case(*order));
  findings.require(is_recorded, kHolds, "{} is {}, but its hold at the channel has ended", to_text(row->id),
                   name_of(row->state));
  const MinorUnits booked = captured_of(*order, *row).all;
  findings.require(booked == hold.captured, kHolds, "{}: the channel captured {}, the receipts sum to {}",
                   to_text(row->id), hold.captured, booked);
}

using TradeName = std::pair<std::string, std::string>;  // channel and trade_no

/// The trades of the channels and their receipts, by trade_no.
struct Books {
  std::map<TradeName, Booked> booked;
  std::map<TradeName, TradeGroup> groups;
};

Books books_of(const OrderAuditor& orders, const Upstream& upstream, Findings& findings) {
  Books books;
  for (const auto& [id, aggregate] : orders.orders())
    for (const Receipt& receipt : aggregate.receipts) {
      const Trade* trade = trade_of(upstream, aggregate, receipt);
      if (trade == nullptr) continue;  // of the wallet, or without a number
      check_receipt(*trade, receipt, aggregate, findings);
      Booked& booked = books.booked[{receipt.channel, trade->trade_no}];
      booked.receipts.push_back(&receipt);
      booked.order = &aggregate;
    }
  // A capture that is reported only in a total has no receipt of its number: see check_hold().
  for (const auto& trade : upstream.trades()) {
    const OrderAggregate* order = orders.order_named(trade->out_trade_no);
    const bool is_numbered = trade->is_external ? upstream.reports_numbers(trade->channel)
                                                : order == nullptr || !is_in_total(*order, *trade);
    if (is_numbered) books.groups[{trade->channel, trade->trade_no}].trades.push_back(trade.get());
  }
  return books;
}

}  // namespace

void audit_end(Reader& reader, const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream,
               const std::set<DeliveryId>& received, Findings& findings) {
  for (const auto& [id, aggregate] : orders.orders()) {
    check_stored(reader, aggregate, findings);
    const auto stored = reader.order(id);
    if (!stored || !*stored) continue;
    check_quiet(**stored, findings);
  }
  const Books books = books_of(orders, upstream, findings);
  for (const auto& [name, group] : books.groups) {
    const auto at = books.booked.find(name);
    check_refunds(group, at == books.booked.end() ? Booked{} : at->second, findings);
  }
  upstream.holds().each([&](const UpstreamHold& hold) { check_hold(hold, orders, findings); });
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
