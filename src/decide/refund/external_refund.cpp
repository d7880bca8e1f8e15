#include "decide/refund/external_refund.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "decide/add_row.h"
#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/exception/open_case.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/book_return.h"

namespace finality {
namespace {

// Whether the channel has or may have a request of the row. A pending row with an out_refund_no was sent before and is
// sent again after "not found".
template <class Row>
bool is_at_channel(const Row& row) {
  using State = decltype(row.state);
  return row.state == State::processing || (row.state == State::pending && !row.out_refund_no.empty());
}

Receipt& receipt_in(OrderWriter& writer, ReceiptId id) {
  Receipt* receipt = find_row(writer.aggregate().receipts, id);
  FINALITY_CHECK(receipt != nullptr, "an external refund has a receipt");
  return *receipt;
}

// Returns the receipt that stores what the channel reports about refunds of the receipt's trade.
Receipt& first_in(OrderWriter& writer, ReceiptId id) {
  return receipt_in(writer, first_of_trade(writer.aggregate(), receipt_in(writer, id)).id);
}

// Divides an external refund among the receipts of the trade: those in suspense first, the rest to the first accepted
// receipt. Without an accepted receipt, the last receipt in suspense takes the rest, otherwise `receipt`.
std::vector<std::pair<ReceiptId, MinorUnits>> divide(const OrderAggregate& aggregate, const Receipt& receipt,
                                                     MinorUnits amount) {
  std::vector<std::pair<ReceiptId, MinorUnits>> parts;
  MinorUnits rest = amount;
  for (const Receipt& one : aggregate.receipts) {
    const MinorUnits part =
        is_same_trade(aggregate, one, receipt) ? std::min(left_in_suspense(aggregate, one), rest) : 0;
    if (part > 0) parts.emplace_back(one.id, part);
    rest -= part;
  }
  if (rest == 0) return parts;
  const Receipt* head = head_of_trade(aggregate, receipt);
  if (head == nullptr && !parts.empty())
    parts.back().second += rest;
  else
    parts.emplace_back(head != nullptr ? head->id : receipt.id, rest);
  return parts;
}

std::optional<EntryId> post(OrderWriter& writer, EntryType type, const Refund& refund, MinorUnits amount) {
  const Collector collector = collector_of(writer.aggregate(), refund);
  return finality::post(writer.context(), posting_for(collector, type, refund.id, refund.currency, amount));
}

void note_number(OrderWriter& writer, ReceiptId id, const std::string& number, MinorUnits amount) {
  Receipt& receipt = first_in(writer, id);
  if (receipt.refund_numbers.size() > limits::kExternalRefundsMax * limits::kMerchantNumberMax)
    writer.context().findings.push_back(to_text(receipt.id) + " has more refund numbers than the limit");
  if (!receipt.refund_numbers.empty()) receipt.refund_numbers += ' ';
  receipt.refund_numbers += number;
  receipt.numbered_refunds += amount;
}

// Sets the refund number of an external refund that was booked from a running total and has that amount. Does nothing
// when the trade has no such refund.
void assign_number(OrderWriter& writer, ReceiptId id, const std::string& number, MinorUnits amount) {
  const Receipt& receipt = receipt_in(writer, id);
  const auto refund = std::ranges::find_if(writer.aggregate().refunds, [&](const Refund& row) {
    return is_external(row) && is_refund_of_trade(writer.aggregate(), row, receipt) && row.amount == amount &&
           row.state == RefundState::succeeded && row.out_refund_no.empty();
  });
  if (refund == writer.aggregate().refunds.end()) return;
  refund->channel_refund_no = refund->out_refund_no = number;
  writer.noted(*refund, "numbered");
}

/// The fields of a new external refund.
struct Beginning {
  ReceiptId receipt_id;
  MinorUnits amount = 0;
  std::optional<std::string> number{};
  MinorUnits reported_amount = 0;
  std::optional<Time> send_deadline{};
};

RefundId create(OrderWriter& writer, const Beginning& beginning) {
  Context& context = writer.context();
  const Receipt& receipt = receipt_in(writer, beginning.receipt_id);
  if (writer.aggregate().refunds.size() >= limits::kRefundsMax + limits::kExternalRefundsMax)
    context.findings.push_back(to_text(receipt.id) + " has more external refunds than the limit");
  Refund refund;
  refund.id = context.next_id<RefundId>();
  refund.order_id = receipt.order_id;
  name_refunded(context.policy, collector_of(writer.aggregate(), receipt), refund);
  refund.merchant_id = receipt.merchant_id;
  refund.channel_account_id = receipt.channel_account_id;
  refund.origin = RefundOrigin::channel;
  refund.channel_refund_no = beginning.number;
  refund.out_refund_no = beginning.number.value_or("");
  refund.receipt_id = receipt.id;
  refund.amount = beginning.amount;
  refund.reported_amount = beginning.reported_amount;
  refund.currency = receipt.currency;
  refund.send_deadline = beginning.send_deadline;
  refund.created_at = context.now;
  writer.created(refund.id, name_of(refund.state));
  return add_row(writer.aggregate().refunds, std::move(refund)).id;
}

// Moves the external refund to `processing` and makes it due, so that the channel is queried by its refund number.
void start_query(OrderWriter& writer, RefundId id) {
  Context& context = writer.context();
  Refund& refund = *find_row(writer.aggregate().refunds, id);
  writer.step(refund, RefundEvent::accepted);
  refund.due_at = context.now + context.policy.query_pause({});
}

// Starts the reversal of the remaining amount of a receipt in suspense. A receipt whose amount or currency differs from
// the collector's is reversed only by an approved resolution.
void reverse_duplicate(OrderWriter& writer, const Receipt& receipt) {
  const OrderAggregate& aggregate = writer.aggregate();
  const Collector collector = collector_of(aggregate, receipt);
  const bool is_duplicate = receipt.amount == collector.amount && receipt.currency == collector.currency;
  const bool is_reversed = std::ranges::any_of(
      aggregate.reversals, [&](const Reversal& reversal) { return reversal.receipt_id == receipt.id; });
  if (is_duplicate && !is_reversed) start_reversal(writer, receipt);
}

// Whether the refunded amount of a trade of the collector is unknown.
bool has_unknown_refund(const OrderAggregate& aggregate, ObjectRef collector) {
  return std::ranges::any_of(aggregate.receipts, [&](const Receipt& one) {
    return is_collected_by(one, collector) && first_of_trade(aggregate, one).is_refund_unknown;
  });
}

// Called when the refunded amount of the trade has become known: settles the cases of its collectors and starts the
// reversals of the remaining amounts. `first`: the first receipt of the trade.
void end_unknown_refund(OrderWriter& writer, Receipt& first) {
  const OrderAggregate& aggregate = writer.aggregate();
  first.is_refund_unknown = false;
  for (const Receipt& receipt : aggregate.receipts) {
    if (!is_same_trade(aggregate, receipt, first)) continue;
    const ObjectRef collector = collector_id_of(receipt);
    if (!has_unknown_refund(aggregate, collector)) settle_case(writer, CaseKind::external_refund, collector);
    reverse_duplicate(writer, receipt);
  }
}

// Books `amount`, the part of the reported refund that is not booked yet, under its refund number.
void book_number(OrderWriter& writer, ReceiptId receipt, const ReportedRefund& reported, MinorUnits amount) {
  note_number(writer, receipt, reported.number, reported.amount);
  if (amount == 0) return assign_number(writer, receipt, reported.number, reported.amount);
  for (const auto& [id, part] : divide(writer.aggregate(), receipt_in(writer, receipt), amount)) {
    const RefundId refund = create(writer, {id, part, reported.number, reported.amount});
    if (reported.kind == RefundEvidenceKind::refunded)
      end_external_refund(writer, refund, CaseKind::external_refund);
    else
      start_query(writer, refund);
  }
}

// Ends the external refunds of the trade that are in progress under the refund number.
void complete(OrderWriter& writer, ReceiptId id, std::string_view number) {
  const OrderAggregate& aggregate = writer.aggregate();
  std::vector<RefundId> ended;
  for (const Refund& row : aggregate.refunds)
    if (is_external(row) && row.state == RefundState::processing && row.out_refund_no == number &&
        is_refund_of_trade(aggregate, row, receipt_in(writer, id)))
      ended.push_back(row.id);
  for (const RefundId refund : ended) end_external_refund(writer, refund, CaseKind::external_refund);
  note_refund_end(writer, id, true);
}

// Books an excess of the running total of the trade.
void book_unnumbered(OrderWriter& writer, ReceiptId receipt, MinorUnits amount) {
  for (const auto& [id, part] : divide(writer.aggregate(), receipt_in(writer, receipt), amount))
    end_external_refund(writer, create(writer, {id, part}), CaseKind::external_refund);
}

// Starts or ends the query of the running total of the trade. `receipt`: its first receipt.
void set_total_queried(OrderWriter& writer, Receipt& receipt, bool queried) {
  receipt.is_total_queried = queried;
  plan_total_query(writer.aggregate(), receipt, writer.context().now);
}

}  // namespace

const Receipt* receipt_of(const OrderAggregate& aggregate, const Reversal& reversal) {
  return find_row(aggregate.receipts, reversal.receipt_id);
}

const Receipt* receipt_of(const OrderAggregate& aggregate, const Refund& refund) {
  if (refund.receipt_id) return find_row(aggregate.receipts, *refund.receipt_id);
  return accepted_receipt_of(aggregate, collector_id_of(refund));
}

bool is_refund_of_trade(const OrderAggregate& aggregate, const Refund& refund, const Receipt& receipt) {
  const Receipt* of = receipt_of(aggregate, refund);
  return of != nullptr && is_same_trade(aggregate, *of, receipt);
}
bool is_refund_of_trade(const OrderAggregate& aggregate, const Reversal& reversal, const Receipt& receipt) {
  const Receipt* of = receipt_of(aggregate, reversal);
  return of != nullptr && is_same_trade(aggregate, *of, receipt);
}

BookedRefunds booked_refunds(const OrderAggregate& aggregate, const Receipt& receipt) {
  BookedRefunds refunded;
  for (const Refund& refund : aggregate.refunds) {
    if (!is_refund_of_trade(aggregate, refund, receipt) || refund.state == RefundState::failed) continue;
    const bool succeeded = refund.state == RefundState::succeeded;
    if (is_external(refund))
      refunded.external += refund.amount;
    else if (succeeded)
      refunded.own += refund.amount;
    refunded.is_open = refunded.is_open || is_at_channel(refund);
  }
  for (const Reversal& reversal : aggregate.reversals) {
    if (!is_refund_of_trade(aggregate, reversal, receipt)) continue;
    if (reversal.state == ReversalState::succeeded) refunded.own += reversal.amount;  // without settled_offline
    refunded.is_open = refunded.is_open || is_at_channel(reversal);
  }
  return refunded;
}

std::optional<RefundId> external_refund_with(const OrderAggregate& aggregate, const Receipt& receipt,
                                             std::string_view number, MinorUnits amount) {
  const auto at = std::ranges::find_if(aggregate.refunds, [&](const Refund& row) {
    return is_external(row) && row.state == RefundState::succeeded && is_refund_of_trade(aggregate, row, receipt) &&
           row.out_refund_no == number && row.amount == amount;
  });
  return at == aggregate.refunds.end() ? std::nullopt : std::optional(at->id);
}

MinorUnits unnumbered(const OrderAggregate& aggregate, const Receipt& receipt) {
  return std::max<MinorUnits>(
      booked_refunds(aggregate, receipt).external - first_of_trade(aggregate, receipt).numbered_refunds, 0);
}

MinorUnits left_in_suspense(const OrderAggregate& aggregate, const Receipt& receipt) {
  if (receipt.state != ReceiptState::suspense) return 0;
  MinorUnits left = receipt.amount;
  for (const Refund& refund : aggregate.refunds)
    if (refund.receipt_id == receipt.id) left -= refund.from_suspense;
  return left;
}

MinorUnits refunded_of(const OrderAggregate& aggregate, const Receipt& receipt, bool succeeded_only) {
  const auto is_of = [&](const Receipt& one) {
    const bool are_accepted = one.state == ReceiptState::accepted && receipt.state == ReceiptState::accepted;
    return one.id == receipt.id || (are_accepted && is_same_trade(aggregate, one, receipt));
  };
  MinorUnits sum = 0;
  for (const Refund& refund : aggregate.refunds) {
    const bool counts = succeeded_only ? refund.state == RefundState::succeeded : refund.state != RefundState::failed;
    const Receipt* of = counts ? receipt_of(aggregate, refund) : nullptr;
    if (of != nullptr && is_of(*of)) sum += refund.amount - refund.returned_amount;
  }
  return sum;
}

MinorUnits over_refunded(const OrderAggregate& aggregate, const Receipt& receipt) {
  MinorUnits refunded = 0;
  for (const Refund& refund : aggregate.refunds)
    if (refund.state == RefundState::succeeded && is_refund_of_trade(aggregate, refund, receipt))
      refunded += refund.amount - refund.returned_amount;
  for (const Reversal& reversal : aggregate.reversals)
    if (reversal_machine.is_final(reversal.state) && is_refund_of_trade(aggregate, reversal, receipt))
      refunded += reversal.amount;
  return std::max<MinorUnits>(refunded - collected_of_trade(aggregate, receipt), 0);
}

ExternalRefundChanges external_refund_changes(const OrderAggregate& aggregate, const Receipt& receipt,
                                              const Evidence& evidence) {
  ExternalRefundChanges changes;
  const Receipt& first = first_of_trade(aggregate, receipt);
  const BookedRefunds refunded = booked_refunds(aggregate, receipt);
  bool is_open = refunded.is_open;
  if (evidence.refund) {
    const ReportedRefund& reported = *evidence.refund;
    const bool succeeded = reported.kind == RefundEvidenceKind::refunded;
    changes.is_new_number = !listed(first.refund_numbers, reported.number);
    if (changes.is_new_number) {
      changes.numbered = std::max<MinorUnits>(reported.amount - unnumbered(aggregate, receipt), 0);
      is_open = is_open || (!succeeded && changes.numbered > 0);
    } else {
      changes.completes = succeeded && std::ranges::any_of(aggregate.refunds, [&](const Refund& refund) {
                            return is_external(refund) && refund.state == RefundState::processing &&
                                   is_refund_of_trade(aggregate, refund, receipt) &&
                                   refund.out_refund_no == reported.number;
                          });
    }
  }
  const bool is_old = first.refund_ended_at && evidence.asked_at <= *first.refund_ended_at;
  const MinorUnits booked = refunded.own + refunded.external + changes.numbered;
  const MinorUnits unexplained = std::max<MinorUnits>(evidence.refunded - booked, 0);
  if (unexplained > 0 && is_open)
    changes.waits = evidence.refunded > first.reported_refunded;
  else if (unexplained > 0 && is_old)
    changes.must_query = !first.is_total_queried;
  else
    changes.unnumbered = unexplained;
  changes.is_amount_hidden = evidence.is_refund_unknown && booked == 0 && !is_open && !first.is_refund_unknown;
  changes.completes_query = first.is_total_queried && !is_old && !is_open;
  return changes;
}

void add_reads_of_external_refunds(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads) {
  for (const EntryType type :
       {EntryType::external_refund, EntryType::external_refund_from_suspense, EntryType::fee_returned})
    ledger::add_reads(type, merchant, channel, currency, reads);
  add_reads_of_returns(merchant, channel, currency, reads);
}

void book_external_refunds(OrderWriter& writer, ReceiptId receipt_id, const Evidence& evidence,
                           const ExternalRefundChanges& changes) {
  if (changes.is_new_number) book_number(writer, receipt_id, *evidence.refund, changes.numbered);
  if (changes.completes) complete(writer, receipt_id, evidence.refund->number);
  if (changes.unnumbered > 0) book_unnumbered(writer, receipt_id, changes.unnumbered);

  Receipt& first = first_in(writer, receipt_id);
  if (changes.waits) first.reported_refunded = std::max(first.reported_refunded, evidence.refunded);
  if (changes.completes_query || changes.must_query) set_total_queried(writer, first, changes.must_query);
  if (changes.is_amount_hidden) {
    first.is_refund_unknown = true;
    open_case(writer, CaseKind::external_refund, collector_id_of(first));
  }
  const bool amount_is_known = first.is_refund_unknown && (changes.numbered > 0 || changes.unnumbered > 0);
  if (amount_is_known) end_unknown_refund(writer, first);
  if (evidence.refund && evidence.refund->returned)
    book_return(writer, collector_id_of(first), {receipt_id, evidence.refund->number, *evidence.refund->returned});
}

void book_second_payout(OrderWriter& writer, const Attempt& attempt) {
  if (listed(first_in(writer, attempt.receipt_id).refund_numbers, attempt.out_refund_no)) return;
  const MinorUnits before = unnumbered(writer.aggregate(), receipt_in(writer, attempt.receipt_id));
  const MinorUnits excess = std::max<MinorUnits>(attempt.amount - before, 0);
  note_number(writer, attempt.receipt_id, attempt.out_refund_no, attempt.amount);
  if (excess == 0) return assign_number(writer, attempt.receipt_id, attempt.out_refund_no, attempt.amount);
  const RefundId refund = create(writer, {attempt.receipt_id, excess, attempt.out_refund_no, attempt.amount});
  end_external_refund(writer, refund, CaseKind::refunded_twice);
}

void follow_attempt(OrderWriter& writer, const Attempt& attempt, std::optional<Time> send_deadline) {
  if (listed(first_in(writer, attempt.receipt_id).refund_numbers, attempt.out_refund_no)) return;
  note_number(writer, attempt.receipt_id, attempt.out_refund_no, attempt.amount);
  start_query(writer, create(writer, {attempt.receipt_id, attempt.amount, attempt.out_refund_no, attempt.amount,
                                      send_deadline}));
}

void query_total(OrderWriter& writer, ReceiptId receipt) { set_total_queried(writer, first_in(writer, receipt), true); }

void end_external_refund(OrderWriter& writer, RefundId id, CaseKind kind) {
  OrderAggregate& aggregate = writer.aggregate();
  Refund& refund = *find_row(aggregate.refunds, id);
  Receipt& receipt = receipt_in(writer, *refund.receipt_id);
  refund.from_suspense = std::min(refund.amount, left_in_suspense(aggregate, receipt));
  const auto suspended = post(writer, EntryType::external_refund_from_suspense, refund, refund.from_suspense);
  const auto payable = post(writer, EntryType::external_refund, refund, refund.amount - refund.from_suspense);
  writer.step(refund, RefundEvent::refunded, true, payable ? payable : suspended);
  if (payable && suspended) writer.noted(name_of(EntryType::external_refund_from_suspense), *suspended);
  refund.due_at.reset();
  settle_overdue(writer, refund);
  add_refunded(aggregate, receipt, refund.amount);
  if (receipt.state == ReceiptState::accepted) return_fee(writer, refund);
  if (receipt.state == ReceiptState::suspense && left_in_suspense(aggregate, receipt) == 0)
    return_receipt(writer, receipt);
  trim_reversal(writer, receipt.id);
  notify_merchant(writer, "refund.external", refund);
  open_case(writer, kind, id);
  check_over_refunded(writer, id);
}

void forget_external_refund(OrderWriter& writer, const Refund& refund) {
  Receipt& receipt = first_in(writer, *refund.receipt_id);
  const std::string& number = refund.out_refund_no;
  if (!listed(receipt.refund_numbers, number)) return;
  std::string others;
  std::string_view rest = receipt.refund_numbers;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (one == number) continue;
    if (!others.empty()) others += ' ';
    others += one;
  }
  receipt.refund_numbers = std::move(others);
  receipt.numbered_refunds -= refund.reported_amount;
}

void note_refund_end(OrderWriter& writer, ReceiptId receipt_id, bool succeeded) {
  Receipt& first = first_in(writer, receipt_id);
  first.refund_ended_at = writer.context().now;
  const BookedRefunds refunded = booked_refunds(writer.aggregate(), first);
  if (first.reported_refunded == 0 || refunded.is_open) return;
  const MinorUnits unexplained = first.reported_refunded - refunded.own - refunded.external;
  first.reported_refunded = 0;
  // The excess of the running total over all booked refunds is an external refund. After a failure nothing is booked
  // from the total, because it may include the failed refund; the total is queried again.
  if (succeeded && unexplained > 0) book_unnumbered(writer, receipt_id, unexplained);
  set_total_queried(writer, first_in(writer, receipt_id), true);
}

void trim_reversal(OrderWriter& writer, ReceiptId receipt_id) {
  OrderAggregate& aggregate = writer.aggregate();
  const auto reversal = std::ranges::find(aggregate.reversals, receipt_id, &Reversal::receipt_id);
  if (reversal == aggregate.reversals.end() || reversal_machine.is_final(reversal->state) || is_at_channel(*reversal))
    return;
  const MinorUnits left = left_in_suspense(aggregate, receipt_in(writer, receipt_id));
  if (left == reversal->amount) return;
  reversal->amount = left;
  if (left > 0) return writer.noted(*reversal, "amount_lowered");
  writer.step(*reversal, ReversalEvent::nothing_left);
  reversal->due_at.reset();
  settle_case(writer, CaseKind::reversal_blocked, reversal->id);
  settle_overdue(writer, *reversal);
}

void check_over_refunded(OrderWriter& writer, RefundId refund_id) {
  const Refund* refund = find_row(writer.aggregate().refunds, refund_id);
  const Receipt* receipt = receipt_of(writer.aggregate(), *refund);
  if (receipt != nullptr && over_refunded(writer.aggregate(), *receipt) > 0)
    open_case(writer, CaseKind::over_refunded, refund_id);
}

}  // namespace finality
