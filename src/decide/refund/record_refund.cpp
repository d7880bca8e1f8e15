#include "decide/refund/record_refund.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/exception/open_case.h"
#include "decide/order/park_order.h"
#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/book_return.h"
#include "decide/refund/external_refund.h"

namespace finality {
namespace {

template <class Row>
using EventOf = typename MachineOf<Row>::Event;

// Maps evidence to an event that refunds and reversals share. "Not found" is `unknown` until the send deadline, because
// the query can overtake the request.
template <class Row>
EventOf<Row> classify_kind(const RefundEvidence& evidence, const Row& row) {
  using Event = EventOf<Row>;
  const bool too_early = row.send_deadline && evidence.asked_at <= *row.send_deadline;
  const Event events[] = {Event::accepted,  Event::refunded, Event::not_now,
                          Event::try_again, Event::refused,  too_early ? Event::unknown : Event::not_found,
                          Event::unknown};
  static_assert(std::size(events) == kCount<RefundEvidenceKind>);
  return events[static_cast<std::size_t>(evidence.kind)];
}

EventOf<Reversal> classify(const RefundEvidence& evidence, const Reversal& reversal) {
  return classify_kind(evidence, reversal);
}
// Adapts the event to the origin of the refund. An external refund has no further attempt, so the end of its refund
// number ends it. In a final state the event is not adapted, so that the transition table alone determines the result.
EventOf<Refund> classify(const RefundEvidence& evidence, const Refund& refund) {
  const RefundEvent event = classify_kind(evidence, refund);
  if (refund_machine.is_final(refund.state) || !is_external(refund)) return event;
  const bool is_attempt = refund.send_deadline.has_value();
  if (event == RefundEvent::not_found) return is_attempt ? RefundEvent::refused : RefundEvent::unknown;
  if (event == RefundEvent::not_now) return RefundEvent::unknown;
  return event == RefundEvent::try_again ? RefundEvent::refused : event;
}

Overdue overdue_of(const RefundEvidence& evidence) {
  const bool is_absent = evidence.kind == RefundEvidenceKind::not_found;
  return {.absent_at = is_absent ? std::optional(evidence.asked_at) : std::nullopt,
          .is_stranded = evidence.is_stranded};
}

template <class Row>
std::optional<EntryId> post(OrderWriter& writer, EntryType type, const Row& row) {
  const Collector collector = collector_of(writer.aggregate(), row);
  return finality::post(writer.context(), posting_for(collector, type, row.id, row.currency, row.amount));
}

// Stores the channel's code and message of a refusal. A success clears both.
template <class Row>
void note_failure(Row& row, const RefundEvidence& evidence) {
  using enum RefundEvidenceKind;
  if (row.state == decltype(row.state)::succeeded) {
    row.failure_code.reset();
    row.failure_message.reset();
  }
  if (evidence.kind != refused && evidence.kind != try_again && evidence.kind != not_now) return;
  row.failure_code = evidence.code.empty() ? "refused" : evidence.code;
  row.failure_message = evidence.message;
}

// Returns the next due_at. Evidence that does not move the row does not shorten the pause before its next send.
template <class Row>
std::optional<Time> next_look_after(const Context& context, const Row& row, EventOf<Row> event, bool moved) {
  const std::optional<Time> next = next_look(context, row, event);
  return !moved && is_to_be_sent(row) ? std::max(row.due_at, next) : next;
}

// Updates the row's failure fields, number of sends and due_at after evidence.
template <class Row>
void update_row(const Context& context, Row& row, const RefundEvidence& evidence, EventOf<Row> event, bool moved) {
  note_failure(row, evidence);
  const bool is_confirmed =
      evidence.kind == RefundEvidenceKind::accepted || evidence.kind == RefundEvidenceKind::not_now;
  if (is_confirmed) row.sends = 0;
  row.due_at = next_look_after(context, row, event, moved);
}

// Opens a case `not_accepted` or `result_overdue` when case_due() returns it, and settles such cases when the result is
// known. The row is still queried while a case is open.
template <class Row>
void open_case_if_due(OrderWriter& writer, const Row& row, const RefundEvidence& evidence) {
  if (const auto kind = case_due(writer.context(), writer.aggregate(), row, overdue_of(evidence)))
    open_case(writer, *kind, row.id);
  settle_overdue(writer, row);
}

void end_refund(OrderWriter& writer, Refund& refund, const Receipt& receipt) {
  if (refund.state == RefundState::succeeded) {
    add_refunded(writer.aggregate(), receipt, refund.amount);
    return_fee(writer, refund);
  }
  notify_merchant(writer, "refund." + std::string(name_of(refund.state)), refund);
}

// Takes the out_refund_no from the row: the channel has proved that no money moves under it. The next attempt has a new
// one.
template <class Row>
void end_number(Row& row) {
  row.out_refund_no.clear();
  row.sends = 0;
}

// Whether no attempt of the row is in progress at the channel.
template <class Row>
bool attempt_is_over(const Row& row) {
  return machine_of(row.state).is_final(row.state) || row.out_refund_no.empty();
}

void apply_reversal_evidence(OrderWriter& writer, Reversal& reversal, const RecordRefund& command, bool is_late) {
  Context& context = writer.context();
  const auto event = classify(command.evidence, reversal);
  const auto& cell = context.cell(reversal_machine, reversal.state, event);
  const bool moved = cell.kind == fsm::CellKind::move;
  const bool ends = moved && cell.to == ReversalState::succeeded;
  const bool disputed = has(cell.actions, fsm::Actions::open_case) || is_late;
  std::optional<EntryId> journal;
  MinorUnits too_much = 0;  // excess of the payout over the receipt's remaining amount
  if (ends) {
    const Receipt& receipt = *receipt_of(writer.aggregate(), reversal);
    reversal.amount = std::min(command.amount, left_in_suspense(writer.aggregate(), receipt));
    too_much = command.amount - reversal.amount;
    journal = post(writer, EntryType::reversal_succeeded, reversal);
  }
  writer.step(reversal, event, true, journal);
  const bool is_number_dead = event == ReversalEvent::try_again || event == ReversalEvent::refused;
  if (is_number_dead && moved) end_number(reversal);
  update_row(context, reversal, command.evidence, event, moved);
  if (disputed) {
    const bool blocked = reversal.state == ReversalState::blocked;
    open_case(writer, blocked ? CaseKind::reversal_blocked : CaseKind::conflicting_result, reversal.id);
  }
  open_case_if_due(writer, reversal, command.evidence);
  if (ends) end_reversal(writer, reversal);
  if (too_much > 0) book_second_payout(writer, {reversal.receipt_id, command.out_refund_no, too_much});
  if (!moved || !attempt_is_over(reversal)) return;
  note_refund_end(writer, reversal.receipt_id, ends);
  trim_reversal(writer, reversal.receipt_id);
}

void apply_external_evidence(OrderWriter& writer, Refund& refund, const RecordRefund& command) {
  const RefundEvent event = classify(command.evidence, refund);
  const bool is_own_attempt = refund.send_deadline.has_value();  // created by follow_attempt()
  const Refund before = refund;                                  // a copy: adding a refund invalidates the reference
  if (event == RefundEvent::refunded && !refund_machine.is_final(refund.state)) {
    end_external_refund(writer, refund.id, is_own_attempt ? CaseKind::refunded_twice : CaseKind::external_refund);
    return note_refund_end(writer, *before.receipt_id, true);
  }
  const auto cell = writer.step(refund, event, true);
  const bool moved = cell.kind == fsm::CellKind::move;
  update_row(writer.context(), refund, command.evidence, event, moved);
  if (has(cell.actions, fsm::Actions::open_case)) open_case(writer, CaseKind::conflicting_result, refund.id);
  open_case_if_due(writer, refund, command.evidence);
  if (!moved || refund.state != RefundState::failed) return;
  forget_external_refund(writer, refund);
  note_refund_end(writer, *before.receipt_id, false);
}

// Handles evidence that changes nothing: sets the row's due_at without a new version and returns true. New evidence
// about a row in a final state is handled in the same way, unless it moves the row or opens a case.
template <class Row>
bool only_planned(Context& context, const OrderAggregate& aggregate, Row& row, const RefundEvidence& evidence,
                  std::int64_t digest) {
  const auto& machine = machine_of(row.state);
  const auto event = classify(evidence, row);
  const auto& cell = context.cell(machine, row.state, event);
  if (digest != row.last_evidence && !machine.is_final(row.state)) return false;
  if (cell.kind != fsm::CellKind::keep || has(cell.actions, fsm::Actions::open_case)) return false;
  if (case_due(context, aggregate, row, overdue_of(evidence))) return false;
  if (row.due_at) row.due_at = next_look_after(context, row, event, false);
  return true;
}

// Whether the evidence reports the payout of a replaced attempt, or the payout of the current attempt after the row has
// ended as failed (refund) or settled_offline (reversal).
template <class Row>
bool is_late_payout(const Row& row, const RecordRefund& command) {
  using State = decltype(row.state);
  if (command.evidence.kind != RefundEvidenceKind::refunded) return false;
  if (row.out_refund_no != command.out_refund_no) return true;
  if constexpr (std::is_same_v<Row, Refund>)
    return row.state == State::failed;
  else
    return row.state == State::settled_offline;
}

// Books a payout that was reported after the row had ended as an external refund.
template <class Row>
void take_second_payout(OrderWriter& writer, Row& row, const RecordRefund& command, ReceiptId receipt) {
  writer.step(row, EventOf<Row>::refunded, true);
  book_second_payout(writer, {receipt, command.out_refund_no, command.amount});
}

void apply_evidence(OrderWriter& writer, Refund& refund, const RecordRefund& command, bool is_late) {
  apply_refund_evidence(writer, refund, command, is_late);
}
void apply_evidence(OrderWriter& writer, Reversal& reversal, const RecordRefund& command, bool is_late) {
  apply_reversal_evidence(writer, reversal, command, is_late);
}

// Makes `out_refund_no`, whose attempt was paid out, the current attempt of the row. The channel is queried about the
// attempt that was current before, because it may be paid out too. REQUIRES: the row is not final.
template <class Row>
Row& replace_attempt(OrderWriter& writer, Row& row, ReceiptId receipt, const std::string& out_refund_no) {
  const auto id = row.id;
  const std::string other = std::exchange(row.out_refund_no, out_refund_no);
  if (!other.empty()) follow_attempt(writer, {receipt, other, row.amount}, row.send_deadline);
  return *find_row(children_in<Row>(writer.aggregate()), id);
}

// Books the payout of a replaced attempt of a refund or reversal that is not final.
void apply_late_payout(OrderWriter& writer, Refund& refund, const RecordRefund& command, ReceiptId receipt_id) {
  Refund& paid = replace_attempt(writer, refund, receipt_id, command.out_refund_no);
  const Receipt& receipt = *find_row(writer.aggregate().receipts, receipt_id);
  if (unnumbered(writer.aggregate(), receipt) == 0) return apply_evidence(writer, paid, command, true);
  // At least a part of the payout was booked as an external refund from a running total. That part is assigned to the
  // out_refund_no and only the excess is posted. The requested refund fails, so that the payout is not booked twice. If
  // the external refund was a different refund of the same amount, the next running total shows the difference.
  const RefundId id = paid.id;
  book_second_payout(writer, {receipt_id, command.out_refund_no, command.amount});
  RecordRefund ended = command;
  ended.evidence.kind = RefundEvidenceKind::refused;
  ended.evidence.code = "refunded_before";
  ended.evidence.message = "A replaced attempt has paid, which is booked as an external refund.";
  apply_evidence(writer, *find_row(writer.aggregate().refunds, id), ended, true);
  query_total(writer, receipt_id);
}
void apply_late_payout(OrderWriter& writer, Reversal& reversal, const RecordRefund& command, ReceiptId receipt) {
  apply_evidence(writer, replace_attempt(writer, reversal, receipt, command.out_refund_no), command, true);
}

// Returns the refund or reversal of which the evidence reports the payout: the row, or the external refund as which the
// payout of a replaced attempt was booked. Empty if the payout was booked in parts.
template <class Row>
std::optional<ObjectRef> paid_document(const OrderAggregate& aggregate, const Row& row, const RecordRefund& command) {
  const bool is_paid = row.state == decltype(row.state)::succeeded && row.out_refund_no == command.out_refund_no;
  if (is_paid && row.amount == command.amount) return ObjectRef(row.id);
  const Receipt* receipt = receipt_of(aggregate, row);
  if (receipt == nullptr) return std::nullopt;
  return external_refund_with(aggregate, *receipt, command.out_refund_no, command.amount);
}

template <class Row>
Decision record(const RecordRefund& command, Context& context) {
  const auto id = decltype(Row::id){command.row.value};
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Row* existing = found != nullptr ? find_row(children_in<Row>(*found), id) : nullptr;
  if (existing == nullptr || existing->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The refund does not exist.");
  const CommandResult done{.object = command.row, .home = command.order_id};
  const bool is_late = is_late_payout(*existing, command);
  const Receipt* receipt = receipt_of(*found, *existing);
  if (!is_late && existing->out_refund_no != command.out_refund_no) return done;
  const bool is_known =
      is_late && (receipt == nullptr || listed(first_of_trade(*found, *receipt).refund_numbers, command.out_refund_no));
  const std::int64_t digest = digest_of(command.evidence, command.merchant_id,
                                        name_of(classify(command.evidence, *existing)), command.out_refund_no);
  const bool is_return = command.evidence.returned && digest != existing->last_evidence && receipt != nullptr &&
                         !is_booked(*found, *receipt, *command.evidence.returned);
  const bool is_settlement =
      command.evidence.settlement && digest != existing->last_evidence &&
      is_settlement_new(*found, paid_document(*found, *existing, command), command.evidence.settlement);
  if (is_known && !is_return && !is_settlement) return done;
  if (!is_late && !is_return && !is_settlement) {
    OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
    if (only_planned(context, aggregate, *find_row(children_in<Row>(aggregate), id), command.evidence, digest))
      return done;
  }

  const ReceiptId receipt_id = receipt != nullptr ? receipt->id : ReceiptId{};
  context.detail = AttemptEvidence{command.channel, command.out_refund_no, command.evidence};
  OrderWriter writer(context, command.order_id);
  Row& row = *find_row(children_in<Row>(writer.aggregate()), id);
  row.last_evidence = digest;
  const bool is_second = is_late && !is_known;  // a late payout that is not booked yet
  if (is_second && machine_of(row.state).is_final(row.state))
    take_second_payout(writer, row, command, receipt_id);
  else if (is_second)
    apply_late_payout(writer, row, command, receipt_id);
  else if (!is_late)
    apply_evidence(writer, row, command, false);
  if (is_return) book_return(writer, command.row, {receipt_id, command.out_refund_no, *command.evidence.returned});
  if (command.evidence.settlement) {
    const Row& after = *find_row(children_in<Row>(writer.aggregate()), id);
    book_settlement(writer, command.row, paid_document(writer.aggregate(), after, command),
                    command.evidence.settlement);
  }
  if (writer.order().parked) stop_work(writer.aggregate());
  return done;
}

// Returns the external refund that follow_attempt() created for the replaced attempt of `row`. It must be in progress,
// or succeeded if the evidence reports a return or a settlement. Otherwise null. A channel can report another refund
// under the same out_refund_no, for example on another trade of the order: it has another receipt or currency, and is
// not returned.
template <class Row>
const Refund* find_followed(const OrderAggregate& aggregate, const Row& row, const RecordRefund& command) {
  const Receipt* receipt = receipt_of(aggregate, row);
  if (receipt == nullptr || row.out_refund_no == command.out_refund_no) return nullptr;
  const bool is_about_end = command.evidence.returned || command.evidence.settlement;
  const auto at = std::ranges::find_if(aggregate.refunds, [&](const Refund& refund) {
    const bool is_relevant =
        refund.state == RefundState::processing || (refund.state == RefundState::succeeded && is_about_end);
    return is_external(refund) && is_relevant && refund.out_refund_no == command.out_refund_no &&
           refund.receipt_id == receipt->id && refund.currency == row.currency;
  });
  return at != aggregate.refunds.end() ? &*at : nullptr;
}

const Refund* find_followed(const Context& context, const RecordRefund& command) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr) return nullptr;
  if (const Refund* row = find_row(found->refunds, RefundId{command.row.value}))
    return find_followed(*found, *row, command);
  const Reversal* row = find_row(found->reversals, ReversalId{command.row.value});
  return row != nullptr ? find_followed(*found, *row, command) : nullptr;
}

}  // namespace

void apply_refund_evidence(OrderWriter& writer, Refund& refund, const RecordRefund& command, bool is_late) {
  if (is_external(refund)) return apply_external_evidence(writer, refund, command);
  Context& context = writer.context();
  const RefundEvent event = classify(command.evidence, refund);
  const auto& cell = context.cell(refund_machine, refund.state, event);
  const bool moved = cell.kind == fsm::CellKind::move;
  std::optional<EntryId> journal;
  if (moved && cell.to == RefundState::succeeded) journal = post(writer, EntryType::refund_succeeded, refund);
  if (moved && cell.to == RefundState::failed) journal = post(writer, EntryType::refund_failed, refund);
  const bool disputed = has(cell.actions, fsm::Actions::open_case) || is_late;
  writer.step(refund, event, true, journal);
  if (event == RefundEvent::try_again && moved) end_number(refund);
  update_row(context, refund, command.evidence, event, moved);
  if (disputed) open_case(writer, CaseKind::conflicting_result, refund.id);
  open_case_if_due(writer, refund, command.evidence);
  if (!moved || !attempt_is_over(refund)) return;
  const Receipt* receipt = receipt_of(writer.aggregate(), refund);
  FINALITY_CHECK(receipt != nullptr, "a refund has a receipt");
  if (refund_machine.is_final(refund.state)) end_refund(writer, refund, *receipt);
  const bool succeeded = refund.state == RefundState::succeeded;
  if (succeeded) check_over_refunded(writer, refund.id);
  note_refund_end(writer, receipt->id, succeeded);
}

void end_reversal(OrderWriter& writer, Reversal& reversal) {
  Receipt* receipt = find_row(writer.aggregate().receipts, reversal.receipt_id);
  FINALITY_CHECK(receipt != nullptr, "a reversal has a receipt");
  return_receipt(writer, *receipt);
  settle_case(writer, CaseKind::reversal_blocked, reversal.id);
  if (reversal.amount > 0) notify_merchant(writer, "payment.reversed", reversal);
}

void add_reads_of_refund_evidence(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads) {
  for (const EntryType type : {EntryType::refund_succeeded, EntryType::refund_failed, EntryType::reversal_succeeded})
    ledger::add_reads(type, merchant, channel, currency, reads);
  add_reads_of_external_refunds(merchant, channel, currency, reads);
}

void add_reads(const RecordRefund& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  add_reads_of_refund_evidence(command.merchant_id, command.channel, command.currency, reads);
  add_reads_of_settlement(command.merchant_id, command.channel, command.currency, command.evidence.settlement, reads);
}

Decision decide(const RecordRefund& command, Context& context) {
  if (const Refund* followed = find_followed(context, command)) {
    RecordRefund about_it = command;
    about_it.row = followed->id;
    return record<Refund>(about_it, context);
  }
  if (command.row.type == ObjectType::refund) return record<Refund>(command, context);
  return record<Reversal>(command, context);
}

}  // namespace finality
