#include "decide/exception/resolution_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/find_payment.h"
#include "decide/post.h"
#include "decide/refund/book_return.h"
#include "decide/refund/external_refund.h"
#include "decide/refund/record_refund.h"

namespace finality {
namespace {

// Refuses a resolution whose object has changed since the proposal. An approval without effect would mislead operators,
// so the case stays proposed.
std::unexpected<Refusal> refuse_changed(std::string_view what, std::string_view state) {
  return refuse(
      RefusalCode::illegal_transition,
      fmt::format("The {} is now {}, so the resolution was not approved. Review the case again.", what, state), {},
      std::string(state));
}

// The command declared the accounts of the receipt that existed when it was submitted.
std::expected<void, Refusal> check_money_at_hand(const CaseContext& on, std::string_view channel, Currency currency) {
  if (on.command.channel == channel && on.command.currency == currency) return {};
  return refuse(RefusalCode::busy, "The object of the case has just changed. Repeat the request.");
}

}  // namespace

ActionResult nothing_moves(const CaseContext&) { return {}; }

// The remaining amount of a receipt in suspense is unknown until the channel reports its refunded amount. Without the
// open case the receipt would never be returned.
ActionResult accept_external(const CaseContext& on) {
  for (const Receipt& receipt : on.writer.aggregate().receipts)
    if (receipt.payment_id.value == on.row.object_id && receipt.is_refund_unknown &&
        receipt.state == ReceiptState::suspense)
      return refuse_changed("receipt", "refunded by an unknown amount");
  return {};
}

// Reverses every receipt of the payment that is in suspense.
ActionResult refund_mismatch(const CaseContext& on) {
  OrderAggregate& aggregate = on.writer.aggregate();
  const std::vector<Receipt> receipts = aggregate.receipts;
  for (const Receipt& receipt : receipts)
    if (receipt.payment_id.value == on.row.object_id && receipt.is_refund_unknown)
      return refuse_changed("receipt", "refunded by an unknown amount");
  for (const Receipt& receipt : receipts) {
    const bool on_its_way = std::ranges::any_of(
        aggregate.reversals, [&](const Reversal& reversal) { return reversal.receipt_id == receipt.id; });
    if (receipt.payment_id.value == on.row.object_id && receipt.state == ReceiptState::suspense && !on_its_way)
      start_reversal(on.writer, receipt);
  }
  return {};
}

// The channel withdrew its result and does not settle the payment: the receivable is a loss. The merchant keeps its
// money. The write-off excludes refunds that succeeded or are in progress.
ActionResult write_off(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  const auto receipt = std::ranges::find_if(aggregate.receipts, [&](const Receipt& one) {
    return one.payment_id.value == on.row.object_id && one.state == ReceiptState::accepted;
  });
  if (receipt == aggregate.receipts.end() || receipt->written_off != 0) return {};
  const MinorUnits loss = receipt->amount - refunded_of(aggregate, *receipt, false);
  if (loss <= 0) return {};
  if (auto fine = check_money_at_hand(on, receipt->channel, receipt->currency); !fine) return fine;
  const auto journal = post(context, posting_for(payment_of(aggregate, *receipt), EntryType::receipt_written_off,
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

// The payer has received the money outside the channel (a transfer, cash), so the reversal is posted against the bank.
ActionResult settled_offline(const CaseContext& on) {
  Context& context = on.writer.context();
  Reversal* reversal = find_row(on.writer.aggregate().reversals, ReversalId{on.row.object_id});
  if (reversal == nullptr) return {};
  if (reversal->state != ReversalState::blocked) return refuse_changed("reversal", name_of(reversal->state));
  const Receipt* receipt = find_row(on.writer.aggregate().receipts, reversal->receipt_id);
  if (receipt == nullptr) return {};
  if (auto fine = check_money_at_hand(on, receipt->channel, reversal->currency); !fine) return fine;
  const auto journal =
      post(context, posting_for(payment_of(on.writer.aggregate(), *reversal), EntryType::reversal_settled_offline,
                                reversal->id, reversal->currency, reversal->amount));
  if (!journal) return {};
  on.writer.step(*reversal, ReversalEvent::settled_offline, false, *journal);
  reversal->due_at.reset();
  end_reversal(on.writer, *reversal);
  return {};
}

// The operator has verified at the channel that the payment was not paid.
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

// Resets the number of sends, after operators have checked or corrected the channel.
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

// Releases a parked order: makes all its open work due immediately. Channels are also queried about payments that are
// no longer due, because evidence may have been missed while the order was parked.
ActionResult release(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  Order& order = on.writer.order();
  order.parked = false;
  if (!order_machine.is_final(order.state) && !order.close_requested) order.due_at = order.expires_at;
  for (Payment& payment : aggregate.payments) {
    const bool had_evidence = std::exchange(payment.last_evidence, 0) != 0;
    schedule(context, order, payment);
    if (had_evidence && !payment.due_at && !payment.account_id)
      call_channel(context, aggregate, payment, ChannelCallKind::query_payment);
  }
  for (Refund& refund : aggregate.refunds)
    if (!refund_machine.is_final(refund.state)) refund.due_at = context.now;
  for (Reversal& reversal : aggregate.reversals)
    if (!reversal_machine.is_final(reversal.state)) reversal.due_at = context.now;
  settle_order(on.writer);
  return {};
}

// The platform bears an external refund: its amount is credited to the merchant, once.
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
  const auto journal = post(context, posting_for(payment_of(aggregate, *refund), EntryType::external_refund_charged,
                                                 refund->id, refund->currency, amount));
  if (!journal) return {};
  refund->charged = amount;
  on.writer.noted(*refund, name_of(EntryType::external_refund_charged), *journal);
  return {};
}

}  // namespace finality
