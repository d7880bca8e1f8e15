#include "decide/authorization/record_capture.h"

#include <algorithm>

#include "decide/authorization/capture_evidence.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "decide/exception/open_case.h"
#include "decide/order/park_order.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/trade_report.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Whether the command is about the capture. One that was booked from a captured total has only the number of its trade.
bool is_named(const RecordCapture& command, const Capture& capture) {
  const auto& trade_no = command.evidence.channel_trade_no;
  if (command.out_trade_no.empty()) return is_from_total(capture) && trade_no && capture.channel_trade_no == trade_no;
  return capture.out_trade_no == command.out_trade_no;
}

// Replaces the event `not_found` by `unknown` after Policy::sends_max sends, as for payments.
CaptureEvent after_many_sends(const Context& context, const Capture& capture, CaptureEvent event) {
  const bool stays =
      event == CaptureEvent::not_found && capture.state == CaptureState::processing && sends_used_up(context, capture);
  return stays ? CaptureEvent::unknown : event;
}

// Returns the capture that has the receipt of the trade of `capture`: another one if the trade was booked from a
// captured total.
CaptureId collector_of_trade(const OrderAggregate& aggregate, const Capture& capture) {
  const Capture* total = booked_as(aggregate, capture);
  return total == nullptr ? capture.id : total->id;
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
  add_reads_of_reports(merchant, command.channel, evidence, reads);
}

const Capture* find_capture(const RecordCapture& command, const OrderAggregate* aggregate) {
  if (aggregate == nullptr) return nullptr;
  const auto at =
      std::ranges::find_if(aggregate->captures, [&](const Capture& capture) { return is_named(command, capture); });
  if (at == aggregate->captures.end() || at->merchant_id != command.merchant_id) return nullptr;
  const Authorization* authorization = find_row(aggregate->authorizations, at->authorization_id);
  return authorization != nullptr && authorization->channel == command.channel ? &*at : nullptr;
}

Decision decide(const RecordCapture& command, Context& context) {
  const Evidence& evidence = command.evidence;
  const OrderAggregate* aggregate = context.rows.orders.find(command.order_id);
  const Capture* found = find_capture(command, aggregate);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The channel has no such capture.");

  const CaptureId id = found->id;
  const CommandResult done{.object = id, .home = command.order_id};
  const CaptureEvent event = after_many_sends(context, *found, event_of(context, *aggregate, *found, evidence));
  const std::int64_t digest = digest_of(evidence, command.merchant_id, name_of(event));
  const bool is_new = digest != found->last_evidence || brings_trade_of_total(context, *aggregate, *found, evidence) ||
                      brings_external_refund(*aggregate, collector_of_trade(*aggregate, *found), evidence);
  const bool is_kept = context.cell(capture_machine, found->state, event).kind == fsm::CellKind::keep;
  if (is_kept && !is_new && !case_due(context, *aggregate, *found, overdue_of(evidence))) {
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
  const CaptureId collector = collector_of_trade(writer.aggregate(), capture);
  book_reported_refunds(writer, collector, evidence);
  finish_capture_evidence(writer, capture, event, applied);
  const bool is_mismatch = contradicts_receipt(writer.aggregate(), collector, evidence);
  if (is_mismatch)
    open_case(writer, CaseKind::report_mismatch, id);
  else
    book_reported_settlements(writer, collector, evidence);
  if (const auto kind = case_due(context, writer.aggregate(), capture, overdue_of(evidence)))
    open_case(writer, *kind, id);
  settle_overdue(writer, capture);
  if (writer.order().parked) stop_work(writer.aggregate());
  return done;
}

}  // namespace finality
