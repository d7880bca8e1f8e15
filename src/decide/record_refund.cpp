#include "decide/record_refund.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "decide/book_receipt.h"
#include "decide/book_return.h"
#include "decide/charge_fee.h"
#include "decide/evidence_digest.h"
#include "decide/external_refund.h"
#include "decide/notify_merchant.h"
#include "decide/open_case.h"
#include "decide/park_order.h"
#include "decide/post.h"

namespace finality {
namespace {

// The words are the same for both machines; a query that overtakes the request it asks about says nothing.
template <class Event, class Row>
Event classify(const RefundEvidence& evidence, const Row& row) {
  const bool too_early = row.send_deadline && evidence.asked_at <= *row.send_deadline;
  const Event events[] = {Event::accepted,  Event::refunded, Event::not_now,
                          Event::try_again, Event::refused,  too_early ? Event::unknown : Event::absent,
                          Event::unknown};
  static_assert(std::size(events) == kCount<RefundEvidenceKind>);
  return events[static_cast<std::size_t>(evidence.kind)];
}

// What makes a word the same as the one before: what it says of which attempt.
template <class Event>
std::int64_t digest_of(const RecordRefund& command, Event event) {
  const RefundEvidence& evidence = command.evidence;
  const ReportedReturn returned = evidence.returned.value_or(ReportedReturn{});
  return evidence_digest(command.merchant_id, "refund",
                         {name_of(evidence.kind), evidence.code, evidence.is_stranded ? "stranded" : "",
                          command.out_refund_no, name_of(event), returned.number, std::to_string(returned.amount)});
}

std::optional<EntryId> post(OrderWriter& writer, EntryType type, const RecordRefund& command, MinorUnits amount) {
  return finality::post(writer.context(), {type, command.merchant_id, command.channel, command.currency, amount,
                                           command.row, command.order_id.value});
}

// Why it is not back yet, or never will be: forgotten once it is.
template <class Row>
void note_failure(Row& row, const RefundEvidence& evidence) {
  if (row.state == decltype(row.state)::succeeded) {
    row.failure_code.reset();
    row.failure_message.reset();
  }
  if (evidence.kind != RefundEvidenceKind::refused && evidence.kind != RefundEvidenceKind::try_again) return;
  row.failure_code = evidence.code.empty() ? "refused" : evidence.code;
  row.failure_message = evidence.message;
}

// When to look again, by the state it is in now.
template <class Machine, class Row>
void schedule(const Context& context, const Machine& machine, Row& row) {
  const RefundEffect effect = machine.due_effect(row.state);
  row.due_at.reset();
  if (effect != RefundEffect::none) row.due_at = context.now + context.policy.query_pause(context.now - row.created_at);
}

// Since when a case about it is enough. Where the channel has taken it and gets no further until somebody acts there:
// since it was sent. Where it is not back after long, whatever the channel says or does not: for as long again. Nothing
// while there is nothing to say.
template <class Row>
std::optional<Time> told_since(const Context& context, const Row& row, const RefundEvidence& evidence) {
  if (evidence.is_stranded)
    return row.send_deadline ? *row.send_deadline - context.policy.channel_timeout : row.created_at;
  const Duration owed_max = context.policy.answer_owed_max;
  return context.now - row.created_at > owed_max ? std::optional(context.now - owed_max) : std::nullopt;
}

// Whether a person has to learn that it does not arrive. Asking goes on. Of what is blocked the desk knows already.
template <class Machine, class Row>
bool wants_the_desk(const Context& context, const OrderAggregate& aggregate, const Machine& machine, const Row& row,
                    const RefundEvidence& evidence) {
  if (machine.is_final(row.state) || row.out_refund_no.empty()) return false;
  const std::optional<Time> since = told_since(context, row, evidence);
  return since && std::ranges::none_of(aggregate.cases, [&](const Case& known) {
           if (known.object_id != row.id.value) return false;
           const bool is_open = !case_machine.is_final(known.state);
           if (known.kind == CaseKind::reversal_blocked) return is_open && !evidence.is_stranded;
           return known.kind == CaseKind::answer_owed_too_long && (is_open || known.created_at >= *since);
         });
}

// Whatever the desk was told of this attempt is over with it.
template <class Machine, class Row>
void settle_stranded(OrderWriter& writer, const Machine& machine, const Row& row) {
  if (machine.is_final(row.state) || row.out_refund_no.empty())
    settle_case(writer, CaseKind::answer_owed_too_long, row.id);
}

void end_refund(OrderWriter& writer, Refund& refund) {
  if (refund.state == RefundState::succeeded) {
    writer.order().refunded_amount += refund.amount;
    return_fee(writer, refund);
  }
  notify_merchant(writer, "refund." + std::string(name_of(refund.state)), refund);
}

// Whether nothing of it is at the channel any more, after a step.
template <class Machine, class Row>
bool attempt_is_over(const Machine& machine, const Row& row) {
  return machine.is_final(row.state) || row.out_refund_no.empty();
}

void hear_of_reversal(OrderWriter& writer, Reversal& reversal, const RecordRefund& command, bool is_late) {
  Context& context = writer.context();
  const auto event = classify<ReversalEvent>(command.evidence, reversal);
  const auto& cell = reversal_machine.at(reversal.state, event);
  const bool moved = cell.kind == fsm::CellKind::move;
  const bool ends = moved && cell.to == ReversalState::succeeded;
  const bool disputed = has(cell.actions, fsm::Actions::open_case) || is_late;
  std::optional<EntryId> journal;
  MinorUnits too_much = 0;  // part of the payout: an external refund had taken it from the receipt before
  if (ends) {
    const Receipt& receipt = *receipt_of(writer.aggregate(), reversal);
    reversal.amount = std::min(command.amount, left_in_suspense(writer.aggregate(), receipt));
    too_much = command.amount - reversal.amount;
    journal = post(writer, EntryType::reversal_succeeded, command, reversal.amount);
  }
  writer.step(reversal, event, true, journal);
  note_failure(reversal, command.evidence);
  const bool number_is_dead = event == ReversalEvent::try_again || event == ReversalEvent::refused;
  if (number_is_dead && moved) reversal.out_refund_no.clear();
  schedule(context, reversal_machine, reversal);
  if (reversal.state == ReversalState::blocked)
    reversal.due_at = context.now + context.policy.scaled(context.policy.reversal_blocked_pause);
  if (disputed) {
    const bool blocked = reversal.state == ReversalState::blocked;
    open_case(writer, blocked ? CaseKind::reversal_blocked : CaseKind::contradiction, reversal.id);
  }
  if (wants_the_desk(context, writer.aggregate(), reversal_machine, reversal, command.evidence))
    open_case(writer, CaseKind::answer_owed_too_long, reversal.id);
  settle_stranded(writer, reversal_machine, reversal);
  if (ends) end_reversal(writer, reversal);
  if (too_much > 0)
    book_second_payout(writer, {reversal.payment_id, reversal.receipt_id, command.out_refund_no, too_much});
  if (!moved || !attempt_is_over(reversal_machine, reversal)) return;
  note_refund_end(writer, reversal.payment_id, reversal.receipt_id, ends);
  trim_reversal(writer, reversal.receipt_id);
}

// An external refund under way is never sent by us, nor under another number: it ends with its number.
RefundEvent as_of_external(RefundEvent event, const Refund& refund) {
  if (event == RefundEvent::absent) return refund.send_deadline ? RefundEvent::refused : RefundEvent::unknown;
  return event == RefundEvent::try_again ? RefundEvent::refused : event;
}

void hear_of_external(OrderWriter& writer, Refund& refund, const RecordRefund& command) {
  const RefundEvent event = as_of_external(classify<RefundEvent>(command.evidence, refund), refund);
  const bool is_ours = refund.send_deadline.has_value();  // an attempt of ours that was replaced by another
  const Refund before = refund;                           // a further one may be added beside it
  if (event == RefundEvent::refunded && !refund_machine.is_final(refund.state)) {
    end_external_refund(writer, refund.id, is_ours ? CaseKind::refunded_twice : CaseKind::external_refund);
    return note_refund_end(writer, before.payment_id, *before.receipt_id, true);
  }
  const auto cell = writer.step(refund, event, true);
  note_failure(refund, command.evidence);
  schedule(writer.context(), refund_machine, refund);
  if (wants_the_desk(writer.context(), writer.aggregate(), refund_machine, refund, command.evidence))
    open_case(writer, CaseKind::answer_owed_too_long, refund.id);
  settle_stranded(writer, refund_machine, refund);
  if (cell.kind != fsm::CellKind::move || refund.state != RefundState::failed) return;
  forget_external_refund(writer, refund);
  note_refund_end(writer, before.payment_id, *before.receipt_id, false);
}

// Nothing new was said: only the next look is planned, without a new version. Of what is over nothing is asked any
// more: its last words are those that ended it.
template <class Machine, class Row>
bool only_planned(Context& context, const OrderAggregate& aggregate, const Machine& machine, Row& row,
                  const RefundEvidence& evidence, std::int64_t digest) {
  const auto& cell = machine.at(row.state, classify<typename Machine::Event>(evidence, row));
  if (digest != row.last_evidence && !machine.is_final(row.state)) return false;
  if (cell.kind != fsm::CellKind::keep || has(cell.actions, fsm::Actions::open_case)) return false;
  if (wants_the_desk(context, aggregate, machine, row, evidence)) return false;
  if (row.due_at) schedule(context, machine, row);
  return true;
}

// Whether an attempt has paid that is not the one whose success the row waits for, or has had.
template <class Row>
bool is_late_payout(const Row& row, const RecordRefund& command) {
  using State = decltype(row.state);
  if (command.evidence.kind != RefundEvidenceKind::refunded) return false;
  if (row.out_refund_no != command.out_refund_no) return true;
  if constexpr (std::is_same_v<Row, Refund>)
    return row.state == State::failed;
  else
    return row.state == State::paid_otherwise;
}

// The row has ended: what this attempt paid is one refund more.
template <class Row>
void take_second_payout(OrderWriter& writer, Row& row, const RecordRefund& command, ReceiptId receipt) {
  using Machine = std::conditional_t<std::is_same_v<Row, Refund>, RefundEvent, ReversalEvent>;
  writer.step(row, Machine::refunded, true);
  book_second_payout(writer, {row.payment_id, receipt, command.out_refund_no, command.amount});
}

// The row waits for another attempt: this one has succeeded in its place, and the other may pay as well.
template <class Row, class Rows>
Row& replace_attempt(OrderWriter& writer, Rows OrderAggregate::* rows, Row& row, ReceiptId receipt,
                     const std::string& out_refund_no) {
  const auto id = row.id;
  const std::string other = std::exchange(row.out_refund_no, out_refund_no);
  if (!other.empty()) follow_attempt(writer, {row.payment_id, receipt, other, row.amount}, row.send_deadline);
  return *find_row(writer.aggregate().*rows, id);
}

template <class Machine, class Rows, class Hear>
Decision record(const RecordRefund& command, Context& context, const Machine& machine, Rows OrderAggregate::* rows,
                Hear hear) {
  using Row = typename Rows::value_type;
  const auto id = decltype(Row::id){command.row.value};
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Row* known = found != nullptr ? find_row(found->*rows, id) : nullptr;
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "There is no such refund.");
  const Done done{command.row, false, command.order_id};
  const bool is_late = is_late_payout(*known, command);
  const Receipt* receipt = receipt_of(*found, *known);
  if (!is_late && known->out_refund_no != command.out_refund_no) return done;
  const bool is_known = is_late && (receipt == nullptr || listed(receipt->refund_numbers, command.out_refund_no));
  const std::int64_t digest = digest_of(command, classify<typename Machine::Event>(command.evidence, *known));
  const bool is_return = command.evidence.returned && digest != known->last_evidence && receipt != nullptr &&
                         !is_booked(*found, *receipt, *command.evidence.returned);
  if (is_known && !is_return) return done;
  if (!is_late && !is_return) {
    OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
    if (only_planned(context, aggregate, machine, *find_row(aggregate.*rows, id), command.evidence, digest))
      return done;
  }

  const ReceiptId receipt_id = receipt != nullptr ? receipt->id : ReceiptId{};
  context.cause_kind = command.evidence.source;
  context.detail = AttemptEvidence{command.channel, command.out_refund_no, command.evidence};
  OrderWriter writer(context, command.order_id);
  Row& row = *find_row(writer.aggregate().*rows, id);
  row.last_evidence = digest;
  const bool is_second = is_late && !is_known;  // a payout that is not booked yet
  if (is_second && machine.is_final(row.state))
    take_second_payout(writer, row, command, receipt_id);
  else if (is_second)
    hear(writer, replace_attempt(writer, rows, row, receipt_id, command.out_refund_no), command, true);
  else if (!is_late)
    hear(writer, row, command, false);
  if (is_return) book_return(writer, command.row, {receipt_id, command.out_refund_no, *command.evidence.returned});
  if (writer.order().parked) stop_work(writer.aggregate());
  return done;
}

// The external refund that follows a replaced attempt of ours, or that such an attempt has made and that came back;
// null when absent.
const Refund* find_followed(const Context& context, const RecordRefund& command) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr) return nullptr;
  const auto at = std::ranges::find_if(found->refunds, [&](const Refund& refund) {
    const bool is_meant = refund.state == RefundState::processing ||
                          (refund.state == RefundState::succeeded && command.evidence.returned);
    return is_external(refund) && is_meant && refund.out_refund_no == command.out_refund_no;
  });
  return at != found->refunds.end() ? &*at : nullptr;
}

}  // namespace

void hear_of_refund(OrderWriter& writer, Refund& refund, const RecordRefund& command, bool is_late) {
  if (is_external(refund)) return hear_of_external(writer, refund, command);
  Context& context = writer.context();
  RefundEvent event = classify<RefundEvent>(command.evidence, refund);
  // Of what is over the table alone says what a word means.
  const bool last_attempt = refund.attempts >= context.policy.refund_attempts_max;
  if (event == RefundEvent::try_again && last_attempt && !refund_machine.is_final(refund.state))
    event = RefundEvent::refused;
  const auto& cell = refund_machine.at(refund.state, event);
  const bool moved = cell.kind == fsm::CellKind::move;
  std::optional<EntryId> journal;
  if (moved && cell.to == RefundState::succeeded)
    journal = post(writer, EntryType::refund_succeeded, command, refund.amount);
  if (moved && cell.to == RefundState::failed) journal = post(writer, EntryType::refund_failed, command, refund.amount);
  const bool disputed = has(cell.actions, fsm::Actions::open_case) || is_late;
  writer.step(refund, event, true, journal);
  note_failure(refund, command.evidence);
  if (event == RefundEvent::try_again && moved) refund.out_refund_no.clear();
  schedule(context, refund_machine, refund);
  if (disputed) open_case(writer, CaseKind::contradiction, refund.id);
  if (wants_the_desk(context, writer.aggregate(), refund_machine, refund, command.evidence))
    open_case(writer, CaseKind::answer_owed_too_long, refund.id);
  settle_stranded(writer, refund_machine, refund);
  if (!moved || !attempt_is_over(refund_machine, refund)) return;
  if (refund_machine.is_final(refund.state)) end_refund(writer, refund);
  const Refund ended = refund;  // an external one may be added beside it
  const Receipt* receipt = receipt_of(writer.aggregate(), ended);
  FINALITY_CHECK(receipt != nullptr, "a refund of a payment without its receipt");
  const bool succeeded = ended.state == RefundState::succeeded;
  if (succeeded) check_over_refunded(writer, ended.id);
  note_refund_end(writer, ended.payment_id, receipt->id, succeeded);
}

void end_reversal(OrderWriter& writer, Reversal& reversal) {
  Receipt* receipt = find_row(writer.aggregate().receipts, reversal.receipt_id);
  FINALITY_CHECK(receipt != nullptr, "a reversal without its receipt");
  return_receipt(writer, *receipt);
  settle_case(writer, CaseKind::reversal_blocked, reversal.id);
  if (reversal.amount > 0) notify_merchant(writer, "payment.reversed", reversal);
}

void add_needs(const RecordRefund& command, Needs& needs) {
  needs.orders.push_back(command.order_id);
  needs.merchants.push_back(command.merchant_id);
  for (const EntryType type : {EntryType::refund_succeeded, EntryType::refund_failed, EntryType::reversal_succeeded})
    ledger::add_needs(type, command.merchant_id, command.channel, command.currency, needs);
  add_needs_of_external_refunds(command.merchant_id, command.channel, command.currency, needs);
}

Decision decide(const RecordRefund& command, Context& context) {
  if (const Refund* followed = find_followed(context, command)) {
    RecordRefund about_it = command;
    about_it.row = followed->id;
    return record(about_it, context, refund_machine, &OrderAggregate::refunds, hear_of_refund);
  }
  if (command.row.type == ObjectType::refund)
    return record(command, context, refund_machine, &OrderAggregate::refunds, hear_of_refund);
  return record(command, context, reversal_machine, &OrderAggregate::reversals, hear_of_reversal);
}

}  // namespace finality
