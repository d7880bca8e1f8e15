#include "decide/authorization/record_capture.h"

#include <algorithm>

#include "decide/authorization/capture_evidence.h"
#include "decide/authorization/classify_capture.h"
#include "decide/channel/channel_operation.h"
#include "decide/exception/open_case.h"
#include "decide/order/park_order.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/trade_report.h"
#include "decide/refund/external_refund.h"
#include "model/natural_key.h"

namespace finality {
namespace {

/// A capture and its authorization; both are null when the order has no capture that the command names.
struct Found {
  const Authorization* authorization = nullptr;
  const Capture* capture = nullptr;
};

Found find_capture(const RecordCapture& command, const OrderAggregate* aggregate) {
  if (aggregate == nullptr || command.out_trade_no.empty()) return {};
  const auto at = std::ranges::find(aggregate->captures, command.out_trade_no, &Capture::out_trade_no);
  if (at == aggregate->captures.end() || at->merchant_id != command.merchant_id) return {};
  const Authorization* authorization = find_row(aggregate->authorizations, at->authorization_id);
  if (authorization == nullptr || authorization->channel != command.channel) return {};
  return {authorization, &*at};
}

// Replaces the event `not_found` by `unknown` after Policy::sends_max sends, as for payments.
CaptureEvent after_many_sends(const Context& context, const Capture& capture, CaptureEvent event) {
  const bool stays =
      event == CaptureEvent::not_found && capture.state == CaptureState::processing && sends_used_up(context, capture);
  return stays ? CaptureEvent::unknown : event;
}

CaptureEvent event_of(const Context& context, const OrderAggregate& aggregate, const Found& found,
                      const Evidence& evidence) {
  const bool is_receipt_known =
      evidence.kind == EvidenceKind::paid &&
      has_receipt(context, aggregate, found.capture->id, evidence.channel_trade_no.value_or(""));
  const CaptureEvent event = classify({*found.authorization, *found.capture, evidence, is_receipt_known});
  return after_many_sends(context, *found.capture, event);
}

Overdue overdue_of(const Evidence& evidence) {
  return {.absent_at = evidence.kind == EvidenceKind::not_found ? std::optional(evidence.asked_at) : std::nullopt};
}

}  // namespace

void add_reads(const RecordCapture& command, ReadSet& reads) {
  const MerchantId merchant = command.merchant_id;
  const Evidence& evidence = command.evidence;
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(merchant);
  if (evidence.kind != EvidenceKind::paid) return;
  reads.keys.push_back({key_of_receipt(merchant, command.channel, evidence.channel_trade_no.value_or(""))});
  add_reads_of_captured(merchant, command.channel, evidence.currency, reads);
  add_reads_of_external_refunds(merchant, command.channel, evidence.currency, reads);
  add_reads_of_settlement(merchant, command.channel, evidence.currency, evidence.settlement, reads);
  if (evidence.refund)
    add_reads_of_settlement(merchant, command.channel, evidence.currency, evidence.refund->settlement, reads);
}

bool is_evidence_about_capture(const RecordCapture& command, const OrderAggregate* aggregate) {
  return find_capture(command, aggregate).capture != nullptr;
}

Decision decide(const RecordCapture& command, Context& context) {
  const Evidence& evidence = command.evidence;
  const OrderAggregate* aggregate = context.rows.orders.find(command.order_id);
  const Found found = find_capture(command, aggregate);
  if (found.capture == nullptr) return refuse(RefusalCode::not_found, "The channel has no such capture.");

  const CaptureId id = found.capture->id;
  const CommandResult done{.object = id, .home = command.order_id};
  const CaptureEvent event = event_of(context, *aggregate, found, evidence);
  const std::int64_t digest = digest_of(evidence, command.merchant_id, name_of(event));
  const bool is_new = digest != found.capture->last_evidence || brings_external_refund(*aggregate, id, evidence);
  const bool is_kept = context.cell(capture_machine, found.capture->state, event).kind == fsm::CellKind::keep;
  if (is_kept && !is_new && !case_due(context, *aggregate, *found.capture, overdue_of(evidence))) {
    OrderAggregate& changed = context.rows.orders.change(command.order_id);
    Capture& capture = *find_row(changed.captures, id);
    if (capture.due_at) schedule(context, changed.order, capture, event, false);
    return done;
  }

  context.detail = PaymentEvidence{command.channel, evidence};
  OrderWriter writer(context, command.order_id);
  Capture& capture = *find_row(writer.aggregate().captures, id);
  capture.last_evidence = digest;
  const AppliedEvidence applied = apply_capture_evidence(writer, capture, evidence, event, is_new);
  settle_order(writer);
  book_reported_refunds(writer, id, evidence);
  finish_capture_evidence(writer, capture, event, applied);
  const bool is_mismatch = contradicts_receipt(writer.aggregate(), id, evidence);
  if (is_mismatch)
    open_case(writer, CaseKind::report_mismatch, id);
  else
    book_reported_settlements(writer, id, evidence);
  if (const auto kind = case_due(context, writer.aggregate(), capture, overdue_of(evidence)))
    open_case(writer, *kind, id);
  settle_overdue(writer, capture);
  if (writer.order().parked) stop_work(writer.aggregate());
  return done;
}

}  // namespace finality
