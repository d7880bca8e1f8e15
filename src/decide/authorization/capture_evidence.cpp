#include "decide/authorization/capture_evidence.h"

#include <algorithm>
#include <utility>

#include "decide/authorization/end_capture.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "decide/exception/open_case.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/collector.h"
#include "ledger/post.h"

namespace finality {
namespace {

// Returns the state of the receipt that the event creates; empty for an event that creates no receipt.
constexpr std::optional<ReceiptState> receipt_of(CaptureEvent event) {
  constexpr std::pair<CaptureEvent, ReceiptState> rows[] = {
      {CaptureEvent::captured, ReceiptState::accepted},
      {CaptureEvent::captured_unexpectedly, ReceiptState::suspense},
      {CaptureEvent::captured_after_failure, ReceiptState::suspense},
      {CaptureEvent::captured_mismatch, ReceiptState::suspense},
  };
  for (const auto& [captured, state] : rows)
    if (captured == event) return state;
  return std::nullopt;
}

constexpr CaseKind case_of(CaptureEvent event) {
  constexpr std::pair<CaptureEvent, CaseKind> rows[] = {
      {CaptureEvent::captured_after_failure, CaseKind::paid_after_failure},
      {CaptureEvent::captured_mismatch, CaseKind::amount_mismatch},
  };
  for (const auto& [known_event, kind] : rows)
    if (known_event == event) return kind;
  return CaseKind::conflicting_result;
}

/// The failure of a capture that failed for another reason than a refusal by the channel.
struct Failure {
  CaptureEvent event;
  std::string_view code;
  std::string_view message;
};
constexpr Failure kFailures[] = {
    {CaptureEvent::captured_mismatch, "amount_mismatch", "The captured amount or currency differs from the capture."},
    {CaptureEvent::captured_unexpectedly, "authorization_ended",
     "The channel captured after the end of the authorization."},
};

// Stores the failure of a capture that was open before the event. A refusal is stored before a query confirms it; other
// results of the channel than its absence replace it.
void note_failure(Capture& capture, const Evidence& evidence, CaptureEvent event) {
  for (const Failure& failure : kFailures)
    if (failure.event == event) {
      capture.failure_code = failure.code;
      capture.failure_message = failure.message;
      return;
    }
  if (is_refusal(evidence)) {
    capture.failure_code = evidence.code.empty() ? "refused" : evidence.code;
    capture.failure_message = evidence.message;
  } else if (event == CaptureEvent::accepted || event == CaptureEvent::captured || event == CaptureEvent::not_now) {
    capture.failure_code.reset();
    capture.failure_message.reset();
  }
}

// Whether the evidence states the number of the capture's trade. A capture that is booked from a captured total has no
// number yet: its evidence has that of the authorization.
bool is_numbered(const Authorization& authorization, const Capture& capture, const Evidence& evidence) {
  return evidence.channel_trade_no &&
         (!capture.out_trade_no.empty() || *evidence.channel_trade_no != trade_no_of(authorization));
}

// Whether the capture was booked from a captured total after `capture` had failed, and its number is not known. Totals
// are not booked while a capture is open, so those that were booked before `capture` do not contain it.
bool is_later_total(const Capture& one, const Capture& capture) {
  return is_unnumbered(one) && one.authorization_id == capture.authorization_id && capture.ordinal < one.ordinal &&
         one.currency == capture.currency;
}

// Whether the amounts that were booked from totals leave room for the capture, besides the trades of other failed
// captures that are parts of them.
bool fits_in_totals(const OrderAggregate& aggregate, const Capture& capture) {
  MinorUnits later = 0;
  for (const Capture& one : aggregate.captures)
    if (is_later_total(one, capture)) later += one.amount;
  return std::min(later, unexplained_of(aggregate, capture.authorization_id)) >= capture.amount;
}

// Settles the cases of all amounts that were booked from totals, once the trades of failed captures explain them.
void settle_explained(OrderWriter& writer, AuthorizationId id) {
  if (unexplained_of(writer.aggregate(), id) != 0) return;
  for (const Capture& capture : writer.aggregate().captures)
    if (capture.authorization_id == id && is_unnumbered(capture))
      settle_case(writer, CaseKind::external_capture, capture.id);
}

// Queries the hold again: its captured total shows whether it contains another capture.
void query_total(OrderWriter& writer, AuthorizationId id) {
  Context& context = writer.context();
  Authorization& authorization = *find_row(writer.aggregate().authorizations, id);
  authorization.is_total_waiting = true;
  if (authorization_machine.is_final(authorization.state)) authorization.close_pending = true;
  schedule(context, writer.order(), authorization);
  if (authorization.due_at) authorization.due_at = context.now;
}

// Records that a captured total contains the trade of the failed capture.
void note_in_total(OrderWriter& writer, Capture& capture, const Evidence& evidence) {
  std::vector<Capture>& captures = writer.aggregate().captures;
  const auto total = std::ranges::find_if(
      captures, [&](const Capture& one) { return is_later_total(one, capture) && one.amount == capture.amount; });
  capture.channel_trade_no = evidence.channel_trade_no;
  if (total != captures.end()) assign_number(writer, *total, *evidence.channel_trade_no);
  open_case(writer, CaseKind::conflicting_result, capture.id);
  settle_explained(writer, capture.authorization_id);
  query_total(writer, capture.authorization_id);
}

void note_facts(const Authorization& authorization, Capture& capture, const Evidence& evidence, CaptureEvent event) {
  if (is_numbered(authorization, capture, evidence) && (!capture.channel_trade_no || event == CaptureEvent::captured))
    capture.channel_trade_no = evidence.channel_trade_no;
  if (event == CaptureEvent::accepted || event == CaptureEvent::not_now) capture.sends = 0;
}

}  // namespace

CaptureEvent event_of(const Context& context, const OrderAggregate& aggregate, const Capture& capture,
                      const Evidence& evidence) {
  const Authorization* authorization = find_row(aggregate.authorizations, capture.authorization_id);
  FINALITY_CHECK(authorization != nullptr, "a capture has an authorization");
  const bool is_part = is_in_total(aggregate, capture) && capture.channel_trade_no == evidence.channel_trade_no;
  const bool is_known = evidence.kind == EvidenceKind::paid &&
                        (has_receipt(context, aggregate, capture.id, evidence.channel_trade_no.value_or("")) ||
                         is_part || brings_trade_of_total(context, aggregate, capture, evidence));
  return classify({*authorization, capture, evidence, is_known});
}

bool brings_trade_of_total(const Context& context, const OrderAggregate& aggregate, const Capture& capture,
                           const Evidence& evidence) {
  const bool can_be = evidence.kind == EvidenceKind::paid && evidence.channel_trade_no &&
                      capture.state == CaptureState::failed && capture.paid_amount == 0 &&
                      capture.origin != CaptureOrigin::channel && !is_in_total(aggregate, capture);
  return can_be && evidence.amount == capture.amount && evidence.currency == capture.currency &&
         fits_in_totals(aggregate, capture) && !has_receipt(context, aggregate, capture.id, *evidence.channel_trade_no);
}

void add_reads_of_captured(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads) {
  for (const EntryType type : {EntryType::receipt_accepted, EntryType::fee_charged, EntryType::receipt_in_suspense})
    ledger::add_reads(type, merchant, channel, currency, reads);
}

AppliedEvidence apply_capture_evidence(OrderWriter& writer, Capture& capture, const Evidence& evidence,
                                       CaptureEvent event, bool record_keep) {
  const bool is_part = event == CaptureEvent::already_known &&
                       brings_trade_of_total(writer.context(), writer.aggregate(), capture, evidence);
  BookedReceipt booked;
  if (const auto state = receipt_of(event))
    booked = book_receipt(writer, collector_with(writer.aggregate(), capture.id), evidence, *state);
  const auto cell = writer.step(capture, event, record_keep, booked.journal);
  if (event == CaptureEvent::captured) charge_fee(writer, booked.id);
  if (is_part) note_in_total(writer, capture, evidence);
  note_facts(*find_row(writer.aggregate().authorizations, capture.authorization_id), capture, evidence, event);
  const bool moved = cell.kind == fsm::CellKind::move;
  if (moved || !capture_machine.is_final(capture.state)) note_failure(capture, evidence, event);
  schedule(writer.context(), writer.order(), capture, event, moved);
  if (moved && capture_machine.is_final(capture.state)) end_capture(writer, capture);
  return {cell.actions, booked.id};
}

void finish_capture_evidence(OrderWriter& writer, const Capture& capture, CaptureEvent event,
                             const AppliedEvidence& applied) {
  const OrderAggregate& aggregate = writer.aggregate();
  if (has(applied.actions, fsm::Actions::reverse))
    start_reversal(writer, *find_row(aggregate.receipts, applied.receipt));
  if (has(applied.actions, fsm::Actions::open_case)) open_case(writer, case_of(event), capture.id);
  const Authorization* authorization = find_row(aggregate.authorizations, capture.authorization_id);
  if (event == CaptureEvent::captured && captured_above_hold(*authorization) > 0)
    open_case(writer, CaseKind::over_captured, authorization->id);
}

void assign_number(OrderWriter& writer, Capture& capture, const std::string& trade_no) {
  capture.channel_trade_no = trade_no;
  writer.noted(capture, "numbered");
  settle_case(writer, CaseKind::external_capture, capture.id);
  settle_explained(writer, capture.authorization_id);
}

void schedule(const Context& context, const Order& order, Capture& capture, CaptureEvent event, bool moved) {
  std::optional<Time> next = next_look(context, capture, event);
  if (capture_machine.is_final(capture.state) && capture.is_total_queried)
    next = context.now + context.policy.query_pause(context.now - capture.created_at);
  if (order.parked)
    capture.due_at.reset();
  else
    capture.due_at = !moved && is_to_be_sent(capture) ? std::max(capture.due_at, next) : next;
}

}  // namespace finality
