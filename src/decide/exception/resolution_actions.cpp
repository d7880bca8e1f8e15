#include "decide/exception/resolution_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/book_return.h"
#include "decide/refund/external_refund.h"
#include "decide/refund/record_refund.h"

namespace finality {
namespace {

// Refuses with `busy` when the receipt's channel or currency differs from the command's: the command has loaded the
// accounts of another receipt.
std::expected<void, Refusal> check_money_at_hand(const CaseContext& on, std::string_view channel, Currency currency) {
  if (on.command.channel == channel && on.command.currency == currency) return {};
  return refuse(RefusalCode::busy, "The object of the case has just changed. Repeat the request.");
}

// Schedules the payments or authorizations of a released order. Channels are also queried about rows without due work.
template <class Row>
void schedule_all(Context& context, OrderAggregate& aggregate, std::vector<Row>& rows) {
  for (Row& row : rows) {
    const bool had_evidence = std::exchange(row.last_evidence, 0) != 0;
    schedule(context, aggregate.order, row);
    if (had_evidence && !row.due_at && !row.account_id)
      call_channel(context, aggregate, row, ChannelOperation<Row>::query);
  }
}

// Schedules the captures of a released order. Channels are also queried about captures without due work.
void schedule_captures(OrderWriter& writer) {
  Context& context = writer.context();
  OrderAggregate& aggregate = writer.aggregate();
  for (Capture& capture : aggregate.captures) {
    const bool had_evidence = std::exchange(capture.last_evidence, 0) != 0;
    const bool is_open = !capture_machine.is_final(capture.state);
    if (is_open || capture.is_total_queried) capture.due_at = context.now;
    const bool is_asked = had_evidence && !capture.due_at && capture.origin != CaptureOrigin::channel;
    if (is_asked && !collector_with(aggregate, capture.id).account_id)
      call_channel(context, aggregate, capture, CaptureCallKind::query_capture);
  }
}

}  // namespace

std::unexpected<Refusal> refuse_changed(std::string_view what, std::string_view state) {
  return refuse(
      RefusalCode::illegal_transition,
      fmt::format("The {} is now {}, so the resolution was not approved. Review the case again.", what, state), {},
      std::string(state));
}

ActionResult nothing_moves(const CaseContext&) { return {}; }

// Refuses while the channel has not reported the refunded amount of a receipt in suspense. Its remaining amount is
// unknown until then, and resolving the case would leave the receipt in suspense permanently.
ActionResult accept_external(const CaseContext& on) {
  const OrderAggregate& aggregate = on.writer.aggregate();
  for (const Receipt& receipt : aggregate.receipts) {
    const Receipt& first = first_of_trade(aggregate, receipt);
    const bool is_of_case = is_collected_by(first, object_of(on.row)) || is_collected_by(receipt, object_of(on.row));
    if (is_of_case && first.is_refund_unknown && receipt.state == ReceiptState::suspense)
      return refuse_changed("receipt", "refunded by an unknown amount");
  }
  return {};
}

// Accepts the order as paid with the amount that was received. Refuses unless the whole amount is in suspense, in the
// order's currency: the channel may have refunded or converted it meanwhile, or the payer may have paid again. Refuses
// too while another case asks whether the channel's report of the payment is true.
ActionResult accept_mismatch(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  Payment* payment = find_row(aggregate.payments, PaymentId{on.row.object_id});
  if (payment == nullptr) return {};
  if (!is_under_review(*payment)) return refuse_changed("payment", name_of(payment->state));
  const auto is_received = [&](const Receipt& one) { return is_collected_by(one, payment->id); };
  if (std::ranges::count_if(aggregate.receipts, is_received) != 1)
    return refuse_changed("payment", "paid several times");
  Receipt& receipt = *std::ranges::find_if(aggregate.receipts, is_received);
  if (receipt.currency != payment->currency)
    return refuse(RefusalCode::illegal_transition,
                  fmt::format("The payer paid {}, and the order's currency is {}. Use the resolution refund.",
                              format_money(receipt.amount, receipt.currency), payment->currency.text()),
                  {}, std::string(name_of(payment->state)));
  const BookedRefunds refunds = booked_refunds(aggregate, receipt);
  if (receipt.is_refund_unknown || refunds.external != 0 || refunds.is_open ||
      left_in_suspense(aggregate, receipt) != receipt.amount)
    return refuse_changed("receipt", "refunded by the channel");
  for (const CaseKind kind : {CaseKind::conflicting_result, CaseKind::report_mismatch})
    if (find_open_case(aggregate.cases, kind, payment->id) != nullptr)
      return refuse(RefusalCode::illegal_transition,
                    fmt::format("The payment has an open case {}. Resolve it first.", name_of(kind)), {},
                    std::string(name_of(payment->state)));
  const ChannelSettlement* settlement = settlement_of(aggregate, receipt.id);
  if (settlement != nullptr && settlement->is_converted()) return refuse_changed("receipt", "converted by the channel");
  if (auto fine = check_money_at_hand(on, receipt.channel, receipt.currency); !fine) return fine;
  if (!add_accepted(aggregate.order, receipt)) return refuse_changed("order", "paid more than an amount can hold");
  const auto journal = post(context, posting_for(collector_of(*payment), EntryType::mismatch_accepted, receipt.id,
                                                 receipt.currency, receipt.amount));
  receipt.state = ReceiptState::accepted;
  receipt.accepted_difference = receipt.amount - payment->amount;
  payment->channel_trade_no = receipt.channel_trade_no;
  on.writer.step(*payment, PaymentEvent::mismatch_accepted, false, journal);
  charge_fee(on.writer, receipt.id);
  settle_order(on.writer);
  return {};
}

// Starts the reversal of every receipt of the collector that is in suspense and has no reversal. Ends the review of its
// payment.
ActionResult refund_mismatch(const CaseContext& on) {
  OrderAggregate& aggregate = on.writer.aggregate();
  const std::vector<Receipt> receipts = aggregate.receipts;
  for (const Receipt& receipt : receipts)
    if (is_collected_by(receipt, object_of(on.row)) && first_of_trade(aggregate, receipt).is_refund_unknown)
      return refuse_changed("receipt", "refunded by an unknown amount");
  for (const Receipt& receipt : receipts) {
    const bool on_its_way = std::ranges::any_of(
        aggregate.reversals, [&](const Reversal& reversal) { return reversal.receipt_id == receipt.id; });
    if (is_collected_by(receipt, object_of(on.row)) && receipt.state == ReceiptState::suspense && !on_its_way)
      start_reversal(on.writer, receipt);
  }
  Payment* payment = find_row(aggregate.payments, PaymentId{on.row.object_id});  // null for a capture
  if (payment == nullptr || !is_under_review(*payment)) return {};
  end_review(on.writer, *payment, PaymentEvent::mismatch_rejected);
  settle_order(on.writer);
  return {};
}

// Writes off the receivable of a payment that the channel reported as paid and does not settle. The merchant is not
// debited. The loss excludes refunds that succeeded or are in progress.
ActionResult write_off(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  const Payment* payment = find_row(aggregate.payments, PaymentId{on.row.object_id});
  if (payment != nullptr && is_under_review(*payment))
    return refuse(RefusalCode::illegal_transition,
                  "The payment is under review, so it is not booked as paid. Resolve its case amount_mismatch first.",
                  {}, std::string(name_of(payment->state)));
  const Receipt* accepted = accepted_receipt_of(aggregate, object_of(on.row));
  if (accepted == nullptr || accepted->written_off != 0) return {};
  Receipt* receipt = find_row(aggregate.receipts, accepted->id);
  if (settlement_of(aggregate, receipt->id) != nullptr) return refuse_changed("receipt", "settled by the channel");
  const MinorUnits loss = receipt->amount - allocated_to(aggregate, *receipt, refunded_of(aggregate, *receipt, false));
  if (loss <= 0) return {};
  if (auto fine = check_money_at_hand(on, receipt->channel, receipt->currency); !fine) return fine;
  const auto journal = post(context, posting_for(collector_of(aggregate, *receipt), EntryType::receipt_written_off,
                                                 receipt->id, receipt->currency, loss));
  if (!journal) return {};
  receipt->written_off = loss;
  on.writer.noted("written_off", *journal);
  return {};
}

ActionResult retry_reversal(const CaseContext& on) {
  Reversal* reversal = find_row(on.writer.aggregate().reversals, ReversalId{on.row.object_id});
  if (reversal == nullptr) return {};
  if (reversal->state != ReversalState::blocked) return refuse_changed("reversal", name_of(reversal->state));
  on.writer.step(*reversal, ReversalEvent::retry);
  reversal->due_at = on.writer.context().now;
  return {};
}

// Completes a blocked reversal that was paid out outside the channel, by bank transfer or in cash. Posts the amount
// against the bank account.
ActionResult settled_offline(const CaseContext& on) {
  Context& context = on.writer.context();
  Reversal* reversal = find_row(on.writer.aggregate().reversals, ReversalId{on.row.object_id});
  if (reversal == nullptr) return {};
  if (reversal->state != ReversalState::blocked) return refuse_changed("reversal", name_of(reversal->state));
  const Receipt* receipt = find_row(on.writer.aggregate().receipts, reversal->receipt_id);
  if (receipt == nullptr) return {};
  if (auto fine = check_money_at_hand(on, receipt->channel, reversal->currency); !fine) return fine;
  const auto journal =
      post(context, posting_for(collector_of(on.writer.aggregate(), *reversal), EntryType::reversal_settled_offline,
                                reversal->id, reversal->currency, reversal->amount));
  if (!journal) return {};
  on.writer.step(*reversal, ReversalEvent::settled_offline, false, *journal);
  reversal->due_at.reset();
  end_reversal(on.writer, *reversal);
  return {};
}

// Closes a payment after an operator has verified at the channel that it was not paid.
ActionResult confirm_unpaid(const CaseContext& on) {
  Context& context = on.writer.context();
  Payment* payment = find_row(on.writer.aggregate().payments, PaymentId{on.row.object_id});
  if (payment == nullptr) return {};
  if (payment_machine.is_final(payment->state)) return refuse_changed("payment", name_of(payment->state));
  on.writer.step(*payment, PaymentEvent::closed);
  payment->final_evidence_at = context.now;
  payment->outstanding_since.reset();
  settle_overdue(on.writer, *payment);
  schedule(context, on.writer.order(), *payment);
  settle_order(on.writer);
  return {};
}

// Resets the count of sends and sends the row again now. Used after operators have corrected the channel's setup.
ActionResult send_again(const CaseContext& on) {
  ActionResult result;
  visit_channel_operation(on.row.object_type, [&]<class Row>(std::type_identity<Row>) {
    Row* row = find_row(children_in<Row>(on.writer.aggregate()), decltype(Row::id){on.row.object_id});
    if (row == nullptr) return;
    if (machine_of(row->state).is_final(row->state)) {
      result = refuse_changed(name_of(on.row.object_type), name_of(row->state));
      return;
    }
    row->sends = 0;
    row->due_at = on.writer.context().now;
    on.writer.noted(*row, "send_again");
  });
  return result;
}

// Releases a parked order and schedules its open payments, authorizations, captures, refunds and reversals. Channels
// are also queried about payments, authorizations and captures without due work, because evidence may have been missed
// while the order was parked.
ActionResult release(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  Order& order = on.writer.order();
  order.parked = false;
  if (!order_machine.is_final(order.state) && !order.close_requested) order.due_at = order.expires_at;
  schedule_all(context, aggregate, aggregate.payments);
  schedule_all(context, aggregate, aggregate.authorizations);
  schedule_captures(on.writer);
  for (Refund& refund : aggregate.refunds)
    if (!refund_machine.is_final(refund.state)) refund.due_at = context.now;
  for (Reversal& reversal : aggregate.reversals)
    if (!reversal_machine.is_final(reversal.state)) reversal.due_at = context.now;
  settle_order(on.writer);
  return {};
}

// Charges an external refund to the platform: credits its amount to the merchant, once.
ActionResult charge_platform(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  Refund* refund = find_row(aggregate.refunds, RefundId{on.row.object_id});
  const Receipt* receipt = refund != nullptr ? receipt_of(aggregate, *refund) : nullptr;
  if (receipt == nullptr) return {};
  const MinorUnits charged = borne_by_platform(aggregate, *receipt);
  const MinorUnits external = external_outside_suspense(aggregate, *receipt);
  const MinorUnits bearable =
      on.row.kind == CaseKind::over_refunded ? std::min(over_refunded(aggregate, *receipt), external) : external;
  const MinorUnits amount =
      std::min(refund->amount - refund->from_suspense - refund->returned_amount, bearable - charged);
  if (refund->amount == refund->from_suspense)
    return refuse(RefusalCode::illegal_transition,
                  "The refund was debited to suspense, not to the merchant. Use the resolution accept instead.", {},
                  std::string(name_of(refund->state)));
  if (refund->charged == 0 && refund->returned_amount > 0 && amount <= 0)
    return refuse_changed("refund", "returned by the channel");
  if (refund->charged != 0 || amount <= 0) return refuse_changed("refund", "borne by the platform");
  if (auto fine = check_money_at_hand(on, receipt->channel, refund->currency); !fine) return fine;
  const auto journal = post(context, posting_for(collector_of(aggregate, *refund), EntryType::external_refund_charged,
                                                 refund->id, refund->currency, amount));
  if (!journal) return {};
  refund->charged = amount;
  on.writer.noted(*refund, name_of(EntryType::external_refund_charged), *journal);
  return {};
}

}  // namespace finality
