#include "decide/payment/collector.h"

#include <algorithm>

#include "base/check.h"

namespace finality {
namespace {

Payment& payment_of(OrderAggregate& aggregate, const Receipt& receipt) {
  Payment* payment = find_row(aggregate.payments, receipt.payment_id);
  FINALITY_CHECK(payment != nullptr, "a receipt has a collector");
  return *payment;
}

}  // namespace

Collector collector_of(const Payment& payment) {
  return {.id = payment.id,
          .order_id = payment.order_id,
          .merchant_id = payment.merchant_id,
          .channel = payment.channel,
          .channel_account_id = payment.channel_account_id,
          .funds = payment.funds,
          .method = payment.method,
          .out_trade_no = payment.out_trade_no,
          .scenario = payment.scenario,
          .account_id = payment.account_id,
          .amount = payment.amount,
          .currency = payment.currency,
          .fee_amount = payment.fee_amount,
          .fee_refundable = payment.fee_refundable};
}

std::optional<Collector> find_collector(const OrderAggregate& aggregate, ObjectRef id) {
  const Payment* payment = id.type == ObjectType::payment ? find_row(aggregate.payments, PaymentId{id.value}) : nullptr;
  return payment == nullptr ? std::nullopt : std::optional(collector_of(*payment));
}

Collector collector_with(const OrderAggregate& aggregate, ObjectRef id) {
  const std::optional<Collector> collector = find_collector(aggregate, id);
  FINALITY_CHECK(collector.has_value(), "a receipt, refund, reversal or channel settlement has a collector");
  return *collector;
}

const Receipt* accepted_receipt_of(const OrderAggregate& aggregate, ObjectRef collector) {
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& receipt) {
    return is_collected_by(receipt, collector) && receipt.state == ReceiptState::accepted;
  });
  return at == aggregate.receipts.end() ? nullptr : &*at;
}

bool add_collected(OrderAggregate& aggregate, const Receipt& receipt) {
  Payment& payment = payment_of(aggregate, receipt);
  const bool is_accepted = receipt.state == ReceiptState::accepted;
  const auto paid = checked_add(payment.paid_amount, receipt.currency == payment.currency ? receipt.amount : 0);
  const auto of_order = checked_add(aggregate.order.paid_amount, is_accepted ? receipt.amount : 0);
  if (!paid || !of_order) return false;
  payment.paid_amount = *paid;
  aggregate.order.paid_amount = *of_order;
  return true;
}

void add_refunded(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits amount) {
  if (receipt.state == ReceiptState::accepted) aggregate.order.refunded_amount += amount;
}

void add_reversed(OrderAggregate& aggregate, const Receipt& receipt) {
  Payment& payment = payment_of(aggregate, receipt);
  if (receipt.currency == payment.currency) payment.reversed_amount += receipt.amount;
}

void set_fee(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits amount, bool refundable) {
  Payment& payment = payment_of(aggregate, receipt);
  payment.fee_amount = amount;
  payment.fee_refundable = refundable;
}

void plan_total_query(OrderAggregate& aggregate, const Receipt& receipt, Time now) {
  Payment& payment = payment_of(aggregate, receipt);
  payment.query_total_of.reset();
  for (const Receipt& one : aggregate.receipts)
    if (one.payment_id == payment.id && one.is_total_queried) payment.query_total_of = one.channel_trade_no;
  if (payment.query_total_of) payment.due_at = now;
}

}  // namespace finality
