#include "sim/order_auditor.h"

namespace finality::sim {
namespace {

bool has_open_case(const OrderAggregate& aggregate, std::int64_t object) {
  return std::ranges::any_of(aggregate.cases, [object](const Case& row) {
    return row.object_id == object && !case_machine.is_final(row.state);
  });
}

}  // namespace

void OrderAuditor::look_at(const WorkingSet& rows) {
  just_soft_.clear();
  rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
    if (!now || (base && base->order.version == now->order.version)) return;
    const auto known = orders_.find(id);
    check_order(known == orders_.end() ? nullptr : &known->second, *now, rows);
    orders_.insert_or_assign(id, *now);
  });
  rows.deliveries.each([&](const DeliveryId& id, const auto&, const auto& now) {
    if (now) deliveries_.insert_or_assign(id, now->delivery);
  });
}

void OrderAuditor::check_order(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows) {
  const Order& order = now.order;
  const std::string id = to_text(order.id);
  if (before == nullptr)
    findings_.require(order_numbers_.insert({order.merchant_id, order.merchant_order_no}).second, "9 one order",
                      "{} has the merchant_order_no of another order", id);
  const auto winners = std::ranges::count(now.payments, PaymentState::succeeded, &Payment::state);
  findings_.require(winners <= 1, "2 one winner", "{} has {} succeeded payments", id, winners);
  findings_.require((order.state == OrderState::succeeded) == (winners == 1), "2 one winner",
                    "{} is {} with {} succeeded payments", id, name_of(order.state), winners);
  findings_.require(!order.parked, "0 parked", "{}: a decision on it broke a rule", id);
  for (const Payment& payment : now.payments) {
    check_payment(now, payment);
    const Payment* known = before != nullptr ? find_row(before->payments, payment.id) : nullptr;
    if (known != nullptr && known->state == payment.state) continue;
    check_ending(now, payment);
    if (payment.state == PaymentState::processing) just_soft_.insert(payment.id);
  }
  for (const Receipt& receipt : now.receipts) {
    check_receipt(now, receipt);
    if (before == nullptr || find_row(before->receipts, receipt.id) == nullptr)
      findings_.require(receipts_.insert({receipt.merchant_id, receipt.channel, receipt.channel_trade_no}).second,
                        "3 receipts", "{} {} was booked twice", receipt.channel, receipt.channel_trade_no);
  }
  for (const Refund& refund : now.refunds)
    if (before == nullptr || find_row(before->refunds, refund.id) == nullptr)
      findings_.require(refund_numbers_.insert({refund.merchant_id, refund.merchant_refund_no}).second, "9 one refund",
                        "{} has the merchant_refund_no of another refund", to_text(refund.id));
  for (const Reversal& reversal : now.reversals) {
    const Receipt* receipt = find_row(now.receipts, reversal.receipt_id);
    findings_.require(
        receipt != nullptr && reversal.amount <= receipt->amount && reversal.currency == receipt->currency,
        "3 reversals", "{} is not within its receipt", to_text(reversal.id));
    findings_.require(std::ranges::count(now.reversals, reversal.receipt_id, &Reversal::receipt_id) == 1, "3 reversals",
                      "{} is not the only one of its receipt", to_text(reversal.id));
  }
  const bool ends = order_machine.is_final(order.state) && (before == nullptr || before->order.state != order.state);
  if (ends) check_told(order, rows);
}

void OrderAuditor::check_payment(const OrderAggregate& aggregate, const Payment& payment) {
  const std::string id = to_text(payment.id);
  std::int64_t accepted = 0;
  for (const Receipt& receipt : aggregate.receipts) {
    if (receipt.payment_id != payment.id || receipt.state != ReceiptState::accepted) continue;
    ++accepted;
    findings_.require(receipt.amount == aggregate.order.amount && receipt.currency == aggregate.order.currency,
                      "3 receipts", "{} accepted {} for an order of {}", id, receipt.amount, aggregate.order.amount);
    const Trade* trade = upstream_.find_trade(receipt.channel, receipt.channel_trade_no);
    findings_.require(receipt.channel == kWallet || (trade != nullptr && trade->paid == receipt.amount), "3 receipts",
                      "{} accepted money that no payer gave", id);
  }
  const bool won = payment.state == PaymentState::succeeded;
  findings_.require(accepted == (won ? 1 : 0), "3 receipts", "{} is {} with {} accepted receipts", id,
                    name_of(payment.state), accepted);
  MinorUnits refunds = 0;
  for (const Refund& refund : aggregate.refunds)
    if (refund.payment_id == payment.id && refund.state != RefundState::failed) refunds += refund.amount;
  findings_.require(refunds <= (won ? payment.amount : 0), "5 refunds", "{} of {} is refunded {}", id, payment.amount,
                    refunds);
}

// A receipt that nobody accepted is returned, or goes back, or lies on the desk.
void OrderAuditor::check_receipt(const OrderAggregate& aggregate, const Receipt& receipt) {
  if (receipt.state != ReceiptState::suspense) return;
  const bool goes_back =
      std::ranges::any_of(aggregate.reversals, [&](const Reversal& row) { return row.receipt_id == receipt.id; });
  findings_.require(goes_back || has_open_case(aggregate, receipt.payment_id.value), "3 receipts",
                    "{} is in suspense and nobody sends it back", to_text(receipt.id));
}

// Invariant 10: nothing ends unpaid but by somebody's word.
void OrderAuditor::check_ending(const OrderAggregate& aggregate, const Payment& payment) {
  const auto said = [&](EvidenceKind kind) { return upstream_.has_said(payment.channel, payment.out_trade_no, kind); };
  const bool has_receipt =
      std::ranges::any_of(aggregate.receipts, [&](const Receipt& receipt) { return receipt.payment_id == payment.id; });
  if (payment.state == PaymentState::failed)
    findings_.require(
        payment.channel == kWallet || has_receipt || said(EvidenceKind::failed) || said(EvidenceKind::refunded),
        "10 unknown is not failed", "{} failed, and the channel never said so", to_text(payment.id));
  if (payment.state != PaymentState::closed) return;
  const bool by_policy = aggregate.order.close_requested && aggregate.order.close_policy == ClosePolicy::local;
  const bool by_desk = std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return row.kind == CaseKind::answer_owed_too_long && row.object_id == payment.id.value;
  });
  findings_.require(has_receipt || by_policy || by_desk || said(EvidenceKind::closed) || said(EvidenceKind::absent),
                    "10 unknown is not failed", "{} was closed, and nobody said so", to_text(payment.id));
}

// Invariant 11: whoever wants to know is told in the same commit.
void OrderAuditor::check_told(const Order& order, const WorkingSet& rows) {
  const std::string type = "order." + std::string(name_of(order.state));
  std::int64_t wanted = order.notify_url ? 1 : 0;
  if (rows.endpoints.loaded(order.merchant_id))
    for (const WebhookEndpoint& endpoint : *rows.endpoints.find(order.merchant_id))
      wanted += endpoint.state == EndpointState::enabled && endpoint.types.empty();
  std::int64_t told = 0;
  rows.deliveries.each([&](const auto&, const auto& base, const auto& now) {
    told += !base && now && now->delivery.order_id == order.id && now->delivery.type == type;
  });
  // An endpoint may be disabled later in the same batch; then more were told than want it now.
  findings_.require(told >= wanted, "11 told in the same commit", "{} is {}: {} of {} addresses are told",
                    to_text(order.id), name_of(order.state), told, wanted);
}

void OrderAuditor::look_at(const Effect& effect) {
  if (const auto* deliver = std::get_if<Deliver>(&effect)) {
    const auto known = deliveries_.find(deliver->delivery.id);
    findings_.require(known != deliveries_.end() && known->second.body == deliver->delivery.body,
                      "11 nothing before its commit", "{} is sent and was not committed so",
                      to_text(deliver->delivery.id));
    return;
  }
  const auto* call = std::get_if<ChannelCall>(&effect);
  if (call == nullptr || call->kind == ChannelCallKind::query_payment) return;
  const auto known = orders_.find(call->order.id);
  findings_.require(known != orders_.end(), "11 nothing before its commit", "{} was not committed",
                    to_text(call->order.id));
  if (known == orders_.end()) return;
  const bool sends = call->kind == ChannelCallKind::send_payment;
  if (sends && call->payment.state == PaymentState::pending) return;  // the trade is there: only its page is asked for
  for (const Payment& other : known->second.payments) {
    const bool owed = other.state == PaymentState::processing && !just_soft_.contains(other.id);
    findings_.require(!owed || (sends && other.id == call->payment.id), "10 one answer at a time",
                      "{} {} of {}, while {} is owed an answer", name_of(call->kind), to_text(call->payment.id),
                      to_text(call->order.id), to_text(other.id));
  }
}

}  // namespace finality::sim
