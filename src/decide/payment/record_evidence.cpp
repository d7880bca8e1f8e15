#include "decide/payment/record_evidence.h"

#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/exception/open_case.h"
#include "decide/order/park_order.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/classify.h"
#include "decide/payment/find_payment.h"
#include "decide/refund/book_return.h"
#include "decide/refund/external_refund.h"
#include "ledger/post.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Which receipt, if any, a class of evidence brings.
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
  for (const auto& [said, kind] : rows)
    if (said == event) return kind;
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
  if (event == PaymentEvent::paid_mismatch && payment.state == PaymentState::failed && !payment.failure_code) {
    payment.failure_code = "amount_mismatch";
    payment.failure_message = "Another amount or currency was paid than the order asks for.";
  }
  if (evidence.kind == EvidenceKind::unknown) {
    if (payment.state == PaymentState::processing && !payment.outstanding_since) payment.outstanding_since = now;
  } else if (event != PaymentEvent::unknown && event != PaymentEvent::already_known &&
             payment.state != PaymentState::created) {  // absent, and about to be sent again: still owed
    payment.outstanding_since.reset();
  }
  if (payment_machine.is_final(payment.state) && !payment.final_evidence_at) payment.final_evidence_at = now;
}

// Whether the channel has said that the trade can never be paid any more: then nothing is left to chase. Absent says so
// only once the trade can no longer come into being: after the expiry, and after our own request can have arrived.
bool final_upstream(const OrderAggregate& aggregate, const Payment& payment, const Evidence& evidence) {
  if (evidence.kind == EvidenceKind::not_found)
    return evidence.asked_at > aggregate.order.expires_at &&
           (!payment.send_deadline || evidence.asked_at > *payment.send_deadline);
  return evidence.kind == EvidenceKind::closed || evidence.kind == EvidenceKind::failed ||
         evidence.kind == EvidenceKind::paid;
}

// The chase of a closed payment's trade ends with this word, be it new or not.
bool ends_chase(const OrderAggregate& aggregate, const Payment& payment, const Evidence& evidence) {
  return payment.state == PaymentState::closed && payment.close_pending && final_upstream(aggregate, payment, evidence);
}

// A query may overtake the reply to our sending; what only the reply says, where the payer pays, is news all the same.
bool brings_action(const Payment& payment, const Evidence& evidence) {
  return payment.action_type == ActionType::none && evidence.action_type != ActionType::none;
}

// The reply that said where the payer pays was lost, and the channel says it again when the same trade is sent again.
// That it waits is what the word came to: a trade that its payer makes is absent until then.
bool must_send_again(const Context& context, const Payment& payment, const Evidence& evidence, PaymentEvent event) {
  const auto channel = context.policy.channels.find(payment.channel);
  return channel != context.policy.channels.end() && channel->second.does_repeat_action(payment.method) &&
         payment.state == PaymentState::pending && payment.action_type == ActionType::none && !payment.close_pending &&
         !sends_used_up(context, payment) && event == PaymentEvent::waiting && evidence.source == CauseKind::query;
}

// Where the channel waits for a payer whom we no longer want: close upstream, right after it was asked and said so. Its
// answer to the close itself does not count: a channel that goes on waiting would be asked without a pause.
bool must_close_upstream(const Payment& payment, const Evidence& evidence) {
  return payment.close_pending && evidence.kind == EvidenceKind::waiting && evidence.source == CauseKind::query;
}

// Whether anything but a query may go to the channel because of it.
bool may_answer(const OrderAggregate& aggregate, const Payment& payment) {
  return payment.due_at && !aggregate.order.parked && !is_order_soft(aggregate);
}

// What is to be said to the channel at once, now that it has said so.
void claim_answer_to(Context& context, const OrderAggregate& aggregate, Payment& payment, const Evidence& evidence,
                     PaymentEvent event) {
  if (!may_answer(aggregate, payment)) return;
  if (must_close_upstream(payment, evidence)) ask_channel(context, aggregate, payment, ChannelCallKind::close_payment);
  if (must_send_again(context, payment, evidence, event))
    ask_channel(context, aggregate, payment, ChannelCallKind::send_payment);
}

// Nothing new was said: only the next look at it is planned.
void plan_next_look(Context& context, OrderId order_id, PaymentId payment_id, const Evidence& evidence,
                    PaymentEvent event) {
  OrderAggregate& aggregate = context.rows.orders.change(order_id);
  Payment& payment = *find_row(aggregate.payments, payment_id);
  if (!payment.due_at) return;
  schedule(context, aggregate.order, payment);
  claim_answer_to(context, aggregate, payment, evidence, event);
}

// The receipt of the trade that the evidence is about, where it is this payment's. The sums of another currency cannot
// be compared with it.
const Receipt* receipt_of_trade(const OrderAggregate& aggregate, const Payment& payment, const Evidence& evidence) {
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& receipt) {
    return receipt.payment_id == payment.id && receipt.channel_trade_no == evidence.channel_trade_no &&
           receipt.currency == evidence.currency;
  });
  return evidence.kind == EvidenceKind::paid && at != aggregate.receipts.end() ? &*at : nullptr;
}

bool brings_external_refund(const OrderAggregate& aggregate, const Payment& payment, const Evidence& evidence) {
  const Receipt* receipt = receipt_of_trade(aggregate, payment, evidence);
  return receipt != nullptr && news_of(aggregate, *receipt, evidence).any();
}

void book_external_refunds(OrderWriter& writer, PaymentId payment_id, const Evidence& evidence) {
  const OrderAggregate& aggregate = writer.aggregate();
  const Payment& payment = *find_row(aggregate.payments, payment_id);
  const Receipt* receipt = receipt_of_trade(aggregate, payment, evidence);
  if (receipt == nullptr) return;
  const ExternalNews news = news_of(aggregate, *receipt, evidence);
  const bool is_returned = evidence.refund && evidence.refund->returned;
  if (news.any() || is_returned) book_external_refunds(writer, payment_id, receipt->id, evidence, news);
}

// A payment sent Policy::sends_max times that the channel does not have is not sent again: it is queried, and a case is
// opened.
PaymentEvent after_many_sends(const Context& context, const Order& order, const Payment& payment, PaymentEvent event) {
  const bool is_wanted = !payment.close_pending && !order.close_requested;
  const bool stays = event == PaymentEvent::not_found && payment.state == PaymentState::processing && is_wanted &&
                     sends_used_up(context, payment);
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
    add_reads_of_external_refunds(command.merchant_id, command.channel, evidence.currency, reads);
  }
}

Decision decide(const RecordEvidence& command, Context& context) {
  const Evidence& evidence = command.evidence;
  const auto [aggregate, known] = find_payment(context.rows, command.payment_id);
  if (known == nullptr || known->merchant_id != command.merchant_id || known->channel != command.channel ||
      known->out_trade_no != command.out_trade_no)
    return refuse(RefusalCode::not_found, "There is no such payment of this channel.");

  const OrderId order_id = known->order_id;
  const bool receipt_known =
      evidence.channel_trade_no && context.rows.keys.find(key_of_receipt(command.merchant_id, command.channel,
                                                                         *evidence.channel_trade_no)) != nullptr;
  const auto channel = context.policy.channels.find(command.channel);
  const bool made_by_payer =
      channel != context.policy.channels.end() && channel->second.is_made_by_payer(known->method);
  const PaymentEvent event = after_many_sends(context, aggregate->order, *known,
                                              classify({*aggregate, *known, evidence, receipt_known, made_by_payer}));
  const std::int64_t digest = digest_of(evidence, command.merchant_id, name_of(event));
  const bool is_new = digest != known->last_evidence || ends_chase(*aggregate, *known, evidence) ||
                      brings_action(*known, evidence) || brings_external_refund(*aggregate, *known, evidence);
  // To send it again sets a deadline, which is a new version of the payment.
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
  if (const auto receipt = receipt_of(event)) booked = book_receipt(writer, payment, evidence, *receipt);

  const auto cell = writer.step(payment, event, is_new || is_sent_again, booked.journal);
  if (event == PaymentEvent::paid) charge_fee(writer, payment);
  note_facts(payment, evidence, event, context.now);
  const bool has_arrived = cell.kind == fsm::CellKind::move && payment.state == PaymentState::pending;
  if (has_arrived) payment.sends = 0;
  if (ends_chase(writer.aggregate(), payment, evidence)) payment.close_pending = false;
  schedule(context, writer.order(), payment);
  claim_answer_to(context, writer.aggregate(), payment, evidence, event);
  settle_order(writer);

  book_external_refunds(writer, payment.id, evidence);
  if (has(cell.actions, fsm::Actions::reverse))
    start_reversal(writer, *find_row(writer.aggregate().receipts, booked.id));
  if (has(cell.actions, fsm::Actions::open_case)) open_case(writer, case_of(event), payment.id);
  if (const auto kind = case_due(context, writer.aggregate(), payment, overdue_of(evidence)))
    open_case(writer, *kind, payment.id);
  settle_overdue(writer, payment);
  if (writer.order().parked) stop_work(writer.aggregate());
  return CommandResult{.object = command.payment_id, .home = order_id};
}

}  // namespace finality
