#include "decide/record_refund.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "decide/charge_fee.h"
#include "decide/notify_merchant.h"
#include "decide/open_case.h"
#include "ledger/post.h"
#include "wire/wire.h"

namespace finality {
namespace {

std::string describe(const RecordRefund& command, const Context& context) {
  namespace json = boost::json;
  const RefundEvidence& evidence = command.evidence;
  json::object out{{"evidence", name_of(evidence.kind)},
                   {"channel", command.channel},
                   {"out_refund_no", command.out_refund_no},
                   {"asked_at", to_rfc3339(evidence.asked_at)}};
  if (evidence.is_stranded) out["stranded"] = true;
  if (!evidence.code.empty()) out["code"] = evidence.code;
  if (!evidence.message.empty()) out["message"] = evidence.message;
  if (!context.cause.detail.empty()) out["via"] = json::parse(context.cause.detail);
  return json::serialize(out);
}

// The words are the same for both machines; a query that overtakes the request it asks about says nothing.
template <class Event, class Row>
Event classify(const RefundEvidence& evidence, const Row& row) {
  const bool too_early = row.send_deadline && evidence.asked_at <= *row.send_deadline;
  const Event events[] = {
      Event::accepted, Event::refunded, Event::try_again, Event::refused, too_early ? Event::unknown : Event::absent,
      Event::unknown};
  static_assert(std::size(events) == kCount<RefundEvidenceKind>);
  return events[static_cast<std::size_t>(evidence.kind)];
}

// What makes a word the same as the one before: what it says of which attempt, not when or how it came.
template <class Event>
std::int64_t digest_of(const RecordRefund& command, Event event) {
  namespace json = boost::json;
  const RefundEvidence& evidence = command.evidence;
  const json::array said{name_of(evidence.kind), evidence.code, evidence.is_stranded, command.out_refund_no,
                         name_of(event)};
  const Hash16 hash = sha256_16(json::serialize(said));
  std::int64_t digest;
  __builtin_memcpy(&digest, hash.data(), sizeof digest);
  return digest;
}

std::optional<EntryId> post(OrderWriter& writer, EntryType type, const RecordRefund& command, MinorUnits amount) {
  Context& context = writer.context();
  const auto journal = ledger::post(
      {type, command.merchant_id, command.channel, command.currency, amount, command.row, command.order_id.value},
      context.rows, context.ids, context.now);
  if (journal) return *journal;
  context.findings.push_back(journal.error());
  return std::nullopt;
}

// An attempt that was refused has paid after all, while a newer one may be under way: only a person can tell whether
// the money went back twice.
template <class Row>
bool is_of_an_earlier_attempt(const Row& row, const RecordRefund& command) {
  return row.out_refund_no != command.out_refund_no;
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
  if (evidence.is_stranded) return *row.send_deadline - context.policy.channel_timeout;
  const Duration owed_max = context.policy.answer_owed_max;
  return context.now - row.created_at > owed_max ? std::optional(context.now - owed_max) : std::nullopt;
}

// Whether a person has to learn that it does not arrive. Asking goes on. Of what is blocked the desk knows already.
template <class Machine, class Row>
bool wants_the_desk(const Context& context, const OrderAggregate& aggregate, const Machine& machine, const Row& row,
                    const RefundEvidence& evidence) {
  if (machine.is_final(row.state) || row.out_refund_no.empty() || !row.send_deadline) return false;
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
    settle_case(writer, writer.aggregate().cases, CaseKind::answer_owed_too_long, row.id);
}

void end_refund(OrderWriter& writer, Refund& refund) {
  if (refund.state == RefundState::succeeded) {
    writer.order().refunded_amount += refund.amount;
    return_fee(writer, refund);
  }
  const std::string type = "refund." + std::string(name_of(refund.state));
  notify_merchant(writer, type, wire::refund_json(refund));
}

void record_reversal(OrderWriter& writer, Reversal& reversal, const RecordRefund& command,
                     const std::string& evidence_json) {
  Context& context = writer.context();
  const auto event = classify<ReversalEvent>(command.evidence, reversal);
  const auto& cell = reversal_machine.at(reversal.state, event);
  const bool moved = cell.kind == fsm::CellKind::move;
  const bool ends = moved && cell.to == ReversalState::succeeded;
  const bool disputed = has(cell.actions, fsm::Actions::open_case) || is_of_an_earlier_attempt(reversal, command);
  std::optional<EntryId> journal;
  if (ends) journal = post(writer, EntryType::reversal_succeeded, command, reversal.amount);
  writer.step(reversal, event, true, journal);
  note_failure(reversal, command.evidence);
  const bool number_is_dead = event == ReversalEvent::try_again || event == ReversalEvent::refused;
  if (number_is_dead && moved) reversal.out_refund_no.clear();
  schedule(context, reversal_machine, reversal);
  if (reversal.state == ReversalState::blocked)
    reversal.due_at = context.now + context.policy.scaled(context.policy.reversal_blocked_pause);
  if (disputed) {
    const bool blocked = reversal.state == ReversalState::blocked;
    open_case(writer, blocked ? CaseKind::reversal_blocked : CaseKind::contradiction, reversal.id, evidence_json);
  }
  if (wants_the_desk(context, writer.aggregate(), reversal_machine, reversal, command.evidence))
    open_case(writer, CaseKind::answer_owed_too_long, reversal.id, evidence_json);
  settle_stranded(writer, reversal_machine, reversal);
  if (ends) end_reversal(writer, reversal);
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

template <class Machine, class Rows, class Record>
Decision record(const RecordRefund& command, Context& context, const Machine& machine, Rows OrderAggregate::* rows,
                Record record_it) {
  using Row = typename Rows::value_type;
  const auto id = decltype(Row::id){command.row.value};
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Row* known = found != nullptr ? find_row(found->*rows, id) : nullptr;
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "There is no such refund.");
  const bool current = known->out_refund_no == command.out_refund_no;
  if (!current && command.evidence.kind != RefundEvidenceKind::refunded)
    return Done{command.row, false, command.order_id};
  if (found->order.parked) return Done{command.row, false, command.order_id};

  OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
  Row& row = *find_row(aggregate.*rows, id);
  const std::int64_t digest = digest_of(command, classify<typename Machine::Event>(command.evidence, row));
  if (only_planned(context, aggregate, machine, row, command.evidence, digest))
    return Done{command.row, false, command.order_id};

  const std::string evidence_json = describe(command, context);
  context.cause.kind = command.evidence.source;
  context.cause.detail = evidence_json;
  OrderWriter writer(context, command.order_id);
  Row& heard = *find_row(writer.aggregate().*rows, id);
  heard.last_evidence = digest;
  record_it(writer, heard, command, evidence_json);
  return Done{command.row, false, command.order_id};
}

}  // namespace

void hear_of_refund(OrderWriter& writer, Refund& refund, const RecordRefund& command,
                    const std::string& evidence_json) {
  Context& context = writer.context();
  RefundEvent event = classify<RefundEvent>(command.evidence, refund);
  // Of what is over the table alone says what a word means.
  const bool last_attempt = refund.attempts >= context.policy.refund_attempts_max;
  if (event == RefundEvent::try_again && last_attempt && !refund_machine.is_final(refund.state))
    event = RefundEvent::refused;
  const auto& cell = refund_machine.at(refund.state, event);
  std::optional<EntryId> journal;
  if (cell.kind == fsm::CellKind::move && cell.to == RefundState::succeeded)
    journal = post(writer, EntryType::refund_succeeded, command, refund.amount);
  if (cell.kind == fsm::CellKind::move && cell.to == RefundState::failed)
    journal = post(writer, EntryType::refund_failed, command, refund.amount);
  const bool moved = cell.kind == fsm::CellKind::move;
  const bool disputed = has(cell.actions, fsm::Actions::open_case) || is_of_an_earlier_attempt(refund, command);
  writer.step(refund, event, true, journal);
  note_failure(refund, command.evidence);
  if (event == RefundEvent::try_again && moved) refund.out_refund_no.clear();
  schedule(context, refund_machine, refund);
  if (disputed) open_case(writer, CaseKind::contradiction, refund.id, evidence_json);
  if (wants_the_desk(context, writer.aggregate(), refund_machine, refund, command.evidence))
    open_case(writer, CaseKind::answer_owed_too_long, refund.id, evidence_json);
  settle_stranded(writer, refund_machine, refund);
  if (moved && refund_machine.is_final(refund.state)) end_refund(writer, refund);
}

void end_reversal(OrderWriter& writer, Reversal& reversal) {
  Receipt* receipt = find_row(writer.aggregate().receipts, reversal.receipt_id);
  Payment* payment = find_row(writer.aggregate().payments, reversal.payment_id);
  FINALITY_CHECK(receipt != nullptr && payment != nullptr, "a reversal without its receipt");
  receipt->state = ReceiptState::returned;
  if (receipt->currency == payment->currency) payment->reversed_amount += reversal.amount;
  settle_case(writer, writer.aggregate().cases, CaseKind::reversal_blocked, reversal.id);
  notify_merchant(writer, "payment.reversed", wire::reversal_json(reversal));
}

void add_needs(const RecordRefund& command, Needs& needs) {
  needs.orders.push_back(command.order_id);
  needs.merchants.push_back(command.merchant_id);
  const bool refund = command.row.type == ObjectType::refund;
  for (const EntryType type :
       refund ? std::initializer_list{EntryType::refund_succeeded, EntryType::refund_failed, EntryType::fee_returned}
              : std::initializer_list{EntryType::reversal_succeeded})
    ledger::add_needs(type, command.merchant_id, command.channel, command.currency, needs);
}

Decision decide(const RecordRefund& command, Context& context) {
  if (command.row.type == ObjectType::refund)
    return record(command, context, refund_machine, &OrderAggregate::refunds, hear_of_refund);
  return record(command, context, reversal_machine, &OrderAggregate::reversals, record_reversal);
}

}  // namespace finality
