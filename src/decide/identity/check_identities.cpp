#include "decide/identity/check_identities.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "decide/invariants.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "ledger/chart.h"

namespace finality {
namespace {

using Findings = std::vector<std::string>;
using T = EntryType;

// Adds amounts of rows that can be damaged: a sum that does not fit is the largest amount, which equals no stored sum.
template <class Rows, class AmountOf>
MinorUnits sum_of(const Rows& rows, AmountOf amount_of) {
  MinorUnits sum = 0;
  for (const auto& row : rows) sum = checked_add(sum, amount_of(row)).value_or(std::numeric_limits<MinorUnits>::max());
  return sum;
}

// ---- stored sums ----

MinorUnits accepted_of(const OrderAggregate& aggregate, const Order&) {
  return sum_of(aggregate.receipts,
                [](const Receipt& row) { return row.state == ReceiptState::accepted ? row.amount : 0; });
}

// A refund counts unless it refunds a receipt that was not accepted.
MinorUnits refunded_of(const OrderAggregate& aggregate, const Order&) {
  return sum_of(aggregate.refunds, [&](const Refund& row) {
    const Receipt* receipt = row.receipt_id ? find_row(aggregate.receipts, *row.receipt_id) : nullptr;
    const bool counts =
        row.state == RefundState::succeeded && (receipt == nullptr || receipt->state == ReceiptState::accepted);
    return counts ? row.amount - row.returned_amount : 0;
  });
}

// `row`: a collector.
template <class Row>
MinorUnits received_of(const OrderAggregate& aggregate, const Row& row) {
  return sum_of(aggregate.receipts, [&](const Receipt& receipt) {
    return is_collected_by(receipt, row.id) && receipt.currency == row.currency ? receipt.amount : 0;
  });
}

template <class Row>
MinorUnits reversed_of(const OrderAggregate& aggregate, const Row& row) {
  return sum_of(aggregate.receipts, [&](const Receipt& receipt) {
    const bool counts = is_collected_by(receipt, row.id) && receipt.currency == row.currency;
    return counts && receipt.state == ReceiptState::returned ? receipt.amount : 0;
  });
}

// The refunds that are allocated to the capture's accepted receipt. They can name another receipt of its trade.
MinorUnits refunded_of(const OrderAggregate& aggregate, const Capture& capture) {
  const Receipt* accepted = accepted_receipt_of(aggregate, capture.id);
  if (accepted == nullptr) return 0;
  const MinorUnits refunded = sum_of(aggregate.refunds, [&](const Refund& row) {
    const Receipt* of = row.receipt_id ? find_row(aggregate.receipts, *row.receipt_id) : nullptr;
    const bool counts = row.state == RefundState::succeeded && of != nullptr && of->state == ReceiptState::accepted &&
                        is_same_trade(aggregate, *of, *accepted);
    return counts ? row.amount - row.returned_amount : 0;
  });
  return allocated_to(aggregate, *accepted, refunded);
}

MinorUnits captured_of(const OrderAggregate& aggregate, const Authorization& authorization) {
  return sum_of(aggregate.captures, [&](const Capture& row) {
    const Receipt* accepted =
        row.authorization_id == authorization.id ? accepted_receipt_of(aggregate, row.id) : nullptr;
    return accepted == nullptr ? 0 : accepted->amount;
  });
}

MinorUnits charged_again_of(const OrderAggregate& aggregate, const Refund& refund) {
  return sum_of(aggregate.returns, [&](const Return& row) { return row.refund_id == refund.id ? row.fee_charged : 0; });
}

/// A column that contains the sum of an amount over other rows of the order.
template <class Row>
struct StoredSum {
  std::string_view group;
  std::string_view column;
  std::string_view summands;
  MinorUnits Row::* stored;
  MinorUnits (*sum)(const OrderAggregate&, const Row&);
};

constexpr StoredSum<Order> kSumsOfOrders[] = {
    {"3", "paid_amount", "accepted receipts", &Order::paid_amount, accepted_of},
    {"5", "refunded_amount", "succeeded refunds less returns", &Order::refunded_amount, refunded_of},
};
constexpr StoredSum<Payment> kSumsOfPayments[] = {
    {"3", "paid_amount", "receipts", &Payment::paid_amount, received_of},
    {"3", "reversed_amount", "returned receipts", &Payment::reversed_amount, reversed_of},
};
constexpr StoredSum<Authorization> kSumsOfAuthorizations[] = {
    {"3", "captured_amount", "accepted receipts", &Authorization::captured_amount, captured_of},
};
constexpr StoredSum<Capture> kSumsOfCaptures[] = {
    {"3", "paid_amount", "receipts", &Capture::paid_amount, received_of},
    {"3", "reversed_amount", "returned receipts", &Capture::reversed_amount, reversed_of},
    {"5", "refunded_amount", "succeeded refunds less returns", &Capture::refunded_amount, refunded_of},
};
constexpr StoredSum<Refund> kSumsOfRefunds[] = {
    {"5", "fee_charged_again", "fees of its returns", &Refund::fee_charged_again, charged_again_of},
};

template <class Row>
void check_sums(const OrderAggregate& aggregate, const Row& row, std::span<const StoredSum<Row>> sums,
                Findings& findings) {
  for (const StoredSum<Row>& one : sums) {
    const MinorUnits sum = one.sum(aggregate, row);
    if (row.*one.stored != sum)
      findings.push_back(fmt::format("{}: {} has {} {} and {} of {}", one.group, to_text(row.id), one.column,
                                     row.*one.stored, one.summands, sum));
  }
}

// Checks that a receipt is returned exactly if its reversal has ended. A reversal that is in progress may end after
// external refunds have returned the whole receipt.
void check_reversals(const OrderAggregate& aggregate, Findings& findings) {
  for (const Reversal& reversal : aggregate.reversals) {
    const Receipt* receipt = find_row(aggregate.receipts, reversal.receipt_id);
    const bool has_ended = reversal_machine.is_final(reversal.state);
    if (receipt == nullptr || has_ended == (receipt->state == ReceiptState::returned)) continue;
    const MinorUnits external = sum_of(
        aggregate.refunds, [&](const Refund& row) { return row.receipt_id == receipt->id ? row.from_suspense : 0; });
    if (reversal.state == ReversalState::processing && external == receipt->amount) continue;
    findings.push_back(fmt::format("3: {} is {}, its receipt {}", to_text(reversal.id), name_of(reversal.state),
                                   name_of(receipt->state)));
  }
}

// Checks that a fee was charged for an accepted receipt only, and does not exceed it. `row`: a collector.
template <class Row>
void check_fee(const OrderAggregate& aggregate, const Row& row, Findings& findings) {
  const Receipt* accepted = accepted_receipt_of(aggregate, row.id);
  if (row.fee_amount < 0 || row.fee_amount > (accepted != nullptr ? accepted->amount : 0))
    findings.push_back(
        fmt::format("3: {} is {} with a fee of {}", to_text(row.id), name_of(row.state), row.fee_amount));
}

// ---- postings ----

/// One journal that the state of a document demands.
struct Demanded {
  ObjectRef document;
  EntryType type = T::receipt_accepted;
  Funds funds = Funds::platform;
  Currency currency{};
  MinorUnits amount = 0;
  Currency settled_currency{};
  MinorUnits settled_amount = 0;
};

/// The amount of one journal of a document; 0: the document has no such journal.
template <class Row>
struct PostingRule {
  EntryType type;
  MinorUnits (*amount)(const Row&);
};

bool was_in_suspense(const Receipt& row) { return row.state != ReceiptState::accepted || row.accepted_difference != 0; }

constexpr PostingRule<Receipt> kOfReceipts[] = {
    {T::receipt_accepted, [](const Receipt& row) { return was_in_suspense(row) ? 0 : row.amount; }},
    // The posting remains after the receipt was returned or accepted.
    {T::receipt_in_suspense, [](const Receipt& row) { return was_in_suspense(row) ? row.amount : 0; }},
    {T::mismatch_accepted, [](const Receipt& row) { return row.accepted_difference != 0 ? row.amount : 0; }},
    {T::receipt_written_off, [](const Receipt& row) { return row.written_off; }},
};

constexpr PostingRule<Reversal> kOfReversals[] = {
    {T::reversal_succeeded, [](const Reversal& row) { return row.state == ReversalState::succeeded ? row.amount : 0; }},
    {T::reversal_settled_offline,
     [](const Reversal& row) { return row.state == ReversalState::settled_offline ? row.amount : 0; }},
};

MinorUnits amount_in(const Refund& row, RefundOrigin origin, RefundState state) {
  return row.origin == origin && row.state == state ? row.amount : 0;
}

constexpr PostingRule<Refund> kOfRefunds[] = {
    {T::refund_accepted, [](const Refund& row) { return row.origin == RefundOrigin::merchant ? row.amount : 0; }},
    {T::refund_succeeded,
     [](const Refund& row) { return amount_in(row, RefundOrigin::merchant, RefundState::succeeded); }},
    {T::refund_failed, [](const Refund& row) { return amount_in(row, RefundOrigin::merchant, RefundState::failed); }},
    {T::external_refund,
     [](const Refund& row) {
       const MinorUnits amount = amount_in(row, RefundOrigin::channel, RefundState::succeeded);
       return amount == 0 ? 0 : amount - row.from_suspense;
     }},
    {T::external_refund_from_suspense, [](const Refund& row) { return row.from_suspense; }},
    {T::external_refund_charged, [](const Refund& row) { return row.charged; }},
    {T::fee_returned, [](const Refund& row) { return row.fee_returned; }},
};

constexpr PostingRule<Payment> kOfPayments[] = {
    {T::fee_charged, [](const Payment& row) { return row.fee_amount; }},
};

constexpr PostingRule<Capture> kOfCaptures[] = {
    {T::fee_charged, [](const Capture& row) { return row.fee_amount; }},
};

constexpr PostingRule<Return> kOfReturns[] = {
    {T::refund_returned, [](const Return& row) { return row.amount - row.to_platform; }},
    {T::charged_refund_returned, [](const Return& row) { return row.to_platform; }},
    {T::fee_charged_again, [](const Return& row) { return row.fee_charged; }},
};

/// Collects the journals that the documents of an order demand.
class Demands {
 public:
  explicit Demands(const OrderAggregate& aggregate) : aggregate_(aggregate) {
    for (const Payment& row : aggregate.payments) add<Payment>(row, row.id, kOfPayments);
    for (const Capture& row : aggregate.captures) add<Capture>(row, row.id, kOfCaptures);
    for (const Receipt& row : aggregate.receipts) add<Receipt>(row, collector_id_of(row), kOfReceipts);
    for (const Reversal& row : aggregate.reversals) add<Reversal>(row, collector_id_of(row), kOfReversals);
    for (const Refund& row : aggregate.refunds) add<Refund>(row, collector_id_of(aggregate, row), kOfRefunds);
    for (const Return& row : aggregate.returns) {
      const Refund* refund = find_row(aggregate.refunds, row.refund_id);
      add<Return>(row, refund != nullptr ? collector_id_of(aggregate, *refund) : ObjectRef{}, kOfReturns);
    }
    for (const ChannelSettlement& row : aggregate.channel_settlements) add_settlement(row);
  }
  const std::vector<Demanded>& all() const { return all_; }

 private:
  Funds funds_of(ObjectRef collector) const {
    const std::optional<Collector> found = find_collector(aggregate_, collector);
    return found ? found->funds : Funds::platform;
  }
  void add(const Demanded& demanded) {
    if (demanded.amount != 0) all_.push_back(demanded);
  }
  template <class Row>
  void add(const Row& row, ObjectRef collector, std::span<const PostingRule<Row>> rules) {
    for (const PostingRule<Row>& rule : rules)
      add({.document = row.id,
           .type = rule.type,
           .funds = funds_of(collector),
           .currency = row.currency,
           .amount = rule.amount(row)});
  }
  void add_settlement(const ChannelSettlement& row) {
    const bool of_receipt = row.document_type == ObjectType::receipt;
    const Funds funds = funds_of(collector_id_of(row));
    if (row.is_converted())
      add({row.id, of_receipt ? T::receipt_converted : T::refund_converted, funds, row.currency, row.amount,
           row.settled_currency, row.settled_amount});
    add({row.id, of_receipt ? T::receipt_converted_for_merchant : T::refund_converted_for_merchant, funds, row.currency,
         row.merchant_amount, row.settled_currency, row.merchant_settled});
    add({row.id, row.fee < 0 ? T::channel_fee_returned : T::channel_fee, funds, row.settled_currency,
         row.fee < 0 ? -row.fee : row.fee});
  }

  const OrderAggregate& aggregate_;
  std::vector<Demanded> all_;
};

/// The entries of one journal, sorted by id.
using Journal = std::vector<Entry>;
using Journals = std::map<EntryId, Journal>;

ObjectRef document_of(const Entry& entry) { return {entry.document_type, entry.document_id}; }

// Whether the journal has one entry for each line of its template, with the demanded amounts and currencies.
bool is_posting_of(const Demanded& demanded, const Journal& journal) {
  const ledger::Lines& lines = ledger::template_of(demanded.type).lines_for(demanded.funds);
  return std::ranges::equal(journal, lines, [&](const Entry& entry, const ledger::Line& line) {
    const bool is_settled = line.money == ledger::Money::settled;
    const MinorUnits amount = is_settled ? demanded.settled_amount : demanded.amount;
    return entry.amount == (line.side == ledger::Side::debit ? -amount : amount) &&
           entry.currency == (is_settled ? demanded.settled_currency : demanded.currency);
  });
}

void check_journal(const Order& order, const Journal& journal, Findings& findings) {
  std::map<Currency, MinorUnits> sums;
  const EntryId id = journal.front().journal_id;
  const auto differs = [&](const Entry& entry) {
    return entry.root_id != order.id.value || entry.merchant_id != order.merchant_id ||
           document_of(entry) != document_of(journal.front()) || entry.type != journal.front().type;
  };
  for (const Entry& entry : journal) {
    MinorUnits& sum = sums[entry.currency];
    sum = checked_add(sum, entry.amount).value_or(std::numeric_limits<MinorUnits>::max());
    if (checked_add(entry.balance_before, entry.amount) != entry.balance_after)
      findings.push_back(fmt::format("6: {} has a balance_after that does not match its amount", to_text(entry.id)));
  }
  for (const auto& [currency, sum] : sums)
    if (sum != 0) findings.push_back(fmt::format("6: journal {} does not sum to zero", to_text(id)));
  if (std::ranges::any_of(journal, differs))
    findings.push_back(fmt::format("6: journal {} has entries of several documents, types or orders", to_text(id)));
}

void check_demand(const Demanded& demanded, Journals& journals, Findings& findings) {
  const auto at = std::ranges::find_if(journals, [&](const auto& one) {
    const Entry& first = one.second.front();
    return document_of(first) == demanded.document && first.type == demanded.type;
  });
  const std::string money = format_money(demanded.amount, demanded.currency);
  if (at == journals.end())
    return findings.push_back(
        fmt::format("7: {} has no posting {} of {}", to_text(demanded.document), name_of(demanded.type), money));
  if (!is_posting_of(demanded, at->second))
    findings.push_back(fmt::format("7: journal {} posts {} of {} with other amounts than {}", to_text(at->first),
                                   name_of(demanded.type), to_text(demanded.document), money));
  journals.erase(at);
}

void check_postings(const OrderAggregate& aggregate, std::span<const Entry> entries, Findings& findings) {
  Journals journals;
  for (const Entry& entry : entries) journals[entry.journal_id].push_back(entry);
  for (const auto& [id, journal] : journals) check_journal(aggregate.order, journal, findings);
  for (const Demanded& demanded : Demands(aggregate).all()) check_demand(demanded, journals, findings);
  for (const auto& [id, journal] : journals)  // what remains is not demanded, or was posted before
    findings.push_back(fmt::format("7: journal {} posts {} of {}, contrary to its state", to_text(id),
                                   name_of(journal.front().type), to_text(document_of(journal.front()))));
}

}  // namespace

std::vector<std::string> check_identities(const OrderAggregate& aggregate, std::span<const Entry> entries) {
  Findings findings = broken_invariants(aggregate);
  check_sums<Order>(aggregate, aggregate.order, kSumsOfOrders, findings);
  for (const Payment& row : aggregate.payments) check_sums<Payment>(aggregate, row, kSumsOfPayments, findings);
  for (const Authorization& row : aggregate.authorizations)
    check_sums<Authorization>(aggregate, row, kSumsOfAuthorizations, findings);
  for (const Capture& row : aggregate.captures) check_sums<Capture>(aggregate, row, kSumsOfCaptures, findings);
  for (const Refund& row : aggregate.refunds) check_sums<Refund>(aggregate, row, kSumsOfRefunds, findings);
  check_reversals(aggregate, findings);
  for (const Payment& row : aggregate.payments) check_fee(aggregate, row, findings);
  for (const Capture& row : aggregate.captures) check_fee(aggregate, row, findings);
  check_postings(aggregate, entries, findings);
  return findings;
}

}  // namespace finality
