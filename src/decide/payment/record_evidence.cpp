#include "decide/payment/record_evidence.h"

#include "decide/channel/channel_operation.h"
#include "decide/channel/used_up_payer.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/exception/open_case.h"
#include "decide/order/park_order.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/classify_evidence.h"
#include "decide/payment/find_payment.h"
#include "decide/payment/trade_report.h"
#include "ledger/post.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Returns the state of the receipt that the event creates; empty for an event that creates no receipt.
constexpr std::optional<ReceiptState> receipt_of(PaymentEvent event) {
  constexpr std::pair<PaymentEvent, ReceiptState> rows[] = {
      {PaymentEvent::paid, ReceiptState::accepted},
      {PaymentEvent::paid_unexpectedly, ReceiptState::suspense},
      {PaymentEvent::paid_after_failure, ReceiptState::suspense},
      {PaymentEvent::paid_mismatch, ReceiptState::suspense},
  };
  for (const auto& [paid, state] : rows)
    if (paid == event) return state;
  return std::nullopt;
}

constexpr CaseKind case_of(PaymentEvent event) {
  constexpr std::pair<PaymentEvent, CaseKind> rows[] = {
      {PaymentEvent::paid_after_failure, CaseKind::paid_after_failure},
      {PaymentEvent::paid_mismatch, CaseKind::amount_mismatch},
  };
  for (const auto& [known_event, kind] : rows)
    if (known_event == event) return kind;
  return CaseKind::conflicting_result;
}

void note_facts(Payment& payment, const Evidence& evidence, PaymentEvent event, Time now) {
  if (evidence.channel_trade_no && (!payment.channel_trade_no || event == PaymentEvent::paid))
    payment.channel_trade_no = evidence.channel_trade_no;
  if (evidence.action_type != ActionType::none) {
    payment.action_type = evidence.action_type;
    if (!evidence.action_url.empty()) payment.action_url = evidence.action_url;
    if (!evidence.action_code.empty()) payment.action_code = evidence.action_code;
  }
  if (event == PaymentEvent::failed && payment.state == PaymentState::failed && !payment.failure_code) {
    payment.failure_code = evidence.code.empty() ? "failed" : evidence.code;
    payment.failure_message = evidence.message;
  }
  if (evidence.kind == EvidenceKind::unknown) {
    if (payment.state == PaymentState::processing && !payment.outstanding_since) payment.outstanding_since = now;
  } else if (event != PaymentEvent::unknown && event != PaymentEvent::already_known &&
             payment.state != PaymentState::created) {  // a created payment is sent again
    payment.outstanding_since.reset();
  }
  const bool has_result = payment_machine.is_final(payment.state) || is_under_review(payment);
  if (has_result && !payment.final_evidence_at) payment.final_evidence_at = now;
}

// Whether the trade can no longer be paid, so that no close is needed. Evidence of kind `not_found` is final only after
// the order's expiry and the send deadline, because until then the trade can still be created.
bool final_upstream(const OrderAggregate& aggregate, const Payment& payment, const Evidence& evidence) {
  if (evidence.kind == EvidenceKind::not_found)
    return evidence.asked_at > aggregate.order.expires_at &&
           (!payment.send_deadline || evidence.asked_at > *payment.send_deadline);
  return evidence.kind == EvidenceKind::closed || evidence.kind == EvidenceKind::failed ||
         evidence.kind == EvidenceKind::paid;
}

// Whether the evidence shows that the trade of a closed payment is final, so that its pending close ends. Applies to
// repeated evidence too.
bool ends_chase(const OrderAggregate& aggregate, const Payment& payment, const Evidence& evidence) {
  return payment.state == PaymentState::closed && payment.close_pending && final_upstream(aggregate, payment, evidence);
}

// Whether the evidence contains the payer's action and the payment has none yet. Only the reply to the send contains
// the action, and that reply can arrive after the result of a query.
bool brings_action(const Payment& payment, const Evidence& evidence) {
  return payment.action_type == ActionType::none && evidence.action_type != ActionType::none;
}

// Whether the payment is sent again to obtain the payer's action: the first reply was lost, and the channel repeats the
// action in the reply to a resend. Tests `event` instead of the evidence's kind, because some channels report a trade
// that waits for the payer as `not_found`.
bool must_send_again(const Context& context, const Payment& payment, const Evidence& evidence, PaymentEvent event) {
  const auto channel = context.policy.channels.find(payment.channel);
  return channel != context.policy.channels.end() && channel->second.does_repeat_action(payment.method) &&
         payment.state == PaymentState::pending && payment.action_type == ActionType::none && !payment.close_pending &&
         !sends_used_up(context, payment) && event == PaymentEvent::waiting && evidence.source == CauseKind::query;
}

// Whether a close request is sent to the channel now: the close is pending, and a query has reported the trade as
// waiting. The reply to a close request sends no further close request, which would be a loop without a pause.
bool must_close_upstream(const Payment& payment, const Evidence& evidence) {
  return payment.close_pending && evidence.kind == EvidenceKind::waiting && evidence.source == CauseKind::query;
}

// Whether a send or close request may be claimed in response to evidence: the payment is due, the order is not parked,
// and no payment of the order is in progress (is_order_soft()).
bool may_answer(const OrderAggregate& aggregate, const Payment& payment) {
  return payment.due_at && !aggregate.order.parked && !is_order_soft(aggregate);
}

// Adds the close or send request that must_close_upstream() or must_send_again() requires.
void claim_answer_to(Context& context, const OrderAggregate& aggregate, Payment& payment, const Evidence& evidence,
                     PaymentEvent event) {
  if (!may_answer(aggregate, payment)) return;
  if (must_close_upstream(payment, evidence)) call_channel(context, aggregate, payment, ChannelCallKind::close_payment);
  if (must_send_again(context, payment, evidence, event))
    call_channel(context, aggregate, payment, ChannelCallKind::send_payment);
}

// Handles repeated evidence: sets the payment's due_at and claims a required request, without a new version.
void plan_next_look(Context& context, OrderId order_id, PaymentId payment_id, const Evidence& evidence,
                    PaymentEvent event) {
  OrderAggregate& aggregate = context.rows.orders.change(order_id);
  Payment& payment = *find_row(aggregate.payments, payment_id);
  if (!payment.due_at) return;
  schedule(context, aggregate.order, payment);
  claim_answer_to(context, aggregate, payment, evidence, event);
}

// Replaces the event `not_found` by `unknown` after Policy::sends_max sends, or if the payer's code is used up. The
// payment is then queried instead of sent again, and after many sends a case is opened.
PaymentEvent without_resend(const Context& context, const Order& order, const Payment& payment, PaymentEvent event) {
  const bool is_needed = !payment.close_pending && !order.close_requested;
  const bool stays = event == PaymentEvent::not_found && payment.state == PaymentState::processing && is_needed &&
                     (sends_used_up(context, payment) || is_payer_used_up(context, payment));
  return stays ? PaymentEvent::unknown : event;
}

Overdue overdue_of(const Evidence& evidence) {
  return {.absent_at = evidence.kind == EvidenceKind::not_found ? std::optional(evidence.asked_at) : std::nullopt};
}

}  // namespace

void add_reads(const RecordEvidence& command, ReadSet& reads) {
  reads.payments.push_back(command.payment_id);
  reads.merchants.push_back(command.merchant_id);
  const Evidence& evidence = command.evidence;
  if (evidence.channel_trade_no)
    reads.keys.push_back({key_of_receipt(command.merchant_id, command.channel, *evidence.channel_trade_no)});
  if (evidence.kind == EvidenceKind::paid) {
    ledger::add_reads(EntryType::receipt_accepted, command.merchant_id, command.channel, evidence.currency, reads);
    ledger::add_reads(EntryType::fee_charged, command.merchant_id, command.channel, evidence.currency, reads);
    ledger::add_reads(EntryType::receipt_in_suspense, command.merchant_id, command.channel, evidence.currency, reads);
    add_reads_of_reports(command.merchant_id, command.channel, evidence, reads);
  }
}

bool is_evidence_about(const RecordEvidence& command, const Payment* payment) {
  return payment != nullptr && payment->merchant_id == command.merchant_id && payment->channel == command.channel &&
         payment->out_trade_no == command.out_trade_no;
}

Decision decide(const RecordEvidence& command, Context& context) {
  const Evidence& evidence = command.evidence;
  const auto [aggregate, known] = find_payment(context.rows, command.payment_id);
  if (!is_evidence_about(command, known)) return refuse(RefusalCode::not_found, "The channel has no such payment.");

  const OrderId order_id = known->order_id;
  const bool receipt_known =
      evidence.channel_trade_no && context.rows.keys.find(key_of_receipt(command.merchant_id, command.channel,
                                                                         *evidence.channel_trade_no)) != nullptr;
  const auto channel = context.policy.channels.find(command.channel);
  const bool made_by_payer =
      channel != context.policy.channels.end() && channel->second.is_made_by_payer(known->method);
  const PaymentEvent event = without_resend(context, aggregate->order, *known,
                                            classify({*aggregate, *known, evidence, receipt_known, made_by_payer}));
  const std::int64_t digest = digest_of(evidence, command.merchant_id, name_of(event));
  const bool is_new = digest != known->last_evidence || ends_chase(*aggregate, *known, evidence) ||
                      brings_action(*known, evidence) || brings_external_refund(*aggregate, known->id, evidence);
  // A resend changes send_deadline, so the order needs a new version although the evidence is repeated.
  const bool is_sent_again = may_answer(*aggregate, *known) && must_send_again(context, *known, evidence, event);
  const bool nothing_new =
      context.cell(payment_machine, known->state, event).kind == fsm::CellKind::keep && !is_new && !is_sent_again;
  if (nothing_new && !case_due(context, *aggregate, *known, overdue_of(evidence))) {
    plan_next_look(context, order_id, command.payment_id, evidence, event);
    return CommandResult{.object = command.payment_id, .home = order_id};
  }

  context.detail = PaymentEvidence{command.channel, evidence};

  OrderWriter writer(context, order_id);
  Payment& payment = *find_row(writer.aggregate().payments, command.payment_id);
  payment.last_evidence = digest;
  BookedReceipt booked;
  if (const auto receipt = receipt_of(event)) booked = book_receipt(writer, collector_of(payment), evidence, *receipt);

  const auto cell = writer.step(payment, event, is_new || is_sent_again, booked.journal);
  if (event == PaymentEvent::paid) charge_fee(writer, booked.id);
  note_facts(payment, evidence, event, context.now);
  const bool has_arrived = cell.kind == fsm::CellKind::move && payment.state == PaymentState::pending;
  if (has_arrived) {
    payment.sends = 0;
    erase_used_up_payer(context, payment);
  }
  if (ends_chase(writer.aggregate(), payment, evidence)) payment.close_pending = false;
  schedule(context, writer.order(), payment);
  claim_answer_to(context, writer.aggregate(), payment, evidence, event);
  settle_order(writer);

  book_reported_refunds(writer, payment.id, evidence);
  if (has(cell.actions, fsm::Actions::reverse))
    start_reversal(writer, *find_row(writer.aggregate().receipts, booked.id));
  const bool is_mismatch = contradicts_receipt(writer.aggregate(), payment.id, evidence);
  if (!is_mismatch) book_reported_settlements(writer, payment.id, evidence);
  if (has(cell.actions, fsm::Actions::open_case)) open_case(writer, case_of(event), payment.id);
  if (is_mismatch) open_case(writer, CaseKind::report_mismatch, payment.id);
  if (const auto kind = case_due(context, writer.aggregate(), payment, overdue_of(evidence)))
    open_case(writer, *kind, payment.id);
  settle_overdue(writer, payment);
  if (writer.order().parked) stop_work(writer.aggregate());
  return CommandResult{.object = command.payment_id, .home = order_id};
}

}  // namespace finality
