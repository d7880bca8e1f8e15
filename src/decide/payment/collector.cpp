#include "decide/payment/collector.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "decide/payment/trade.h"

namespace finality {
namespace {

// Calls visit(row) with the payment or capture that collected the receipt.
template <class Visit>
void visit_collector(OrderAggregate& aggregate, const Receipt& receipt, Visit visit) {
  Capture* capture = receipt.capture_id ? find_row(aggregate.captures, *receipt.capture_id) : nullptr;
  if (capture != nullptr) return visit(*capture);
  Payment* payment = find_row(aggregate.payments, receipt.payment_id);
  FINALITY_CHECK(payment != nullptr, "a receipt has a collector");
  visit(*payment);
}

// Adds the receipt to the sum of the accepted receipts of the capture's authorization. Returns false if it overflows.
bool add_captured(OrderAggregate& aggregate, const Capture& capture, const Receipt& receipt) {
  Authorization* authorization = find_row(aggregate.authorizations, capture.authorization_id);
  FINALITY_CHECK(authorization != nullptr, "a capture has an authorization");
  const auto captured = checked_add(authorization->captured_amount, receipt.amount);
  if (captured) authorization->captured_amount = *captured;
  return captured.has_value();
}
bool add_captured(OrderAggregate&, const Payment&, const Receipt&) { return true; }

// Allocates the refunds of the captures of the receipt's trade, and `more`.
void allocate_refunds(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits more) {
  const auto visit_captures = [&](auto visit) {
    for (const Receipt& one : aggregate.receipts) {
      const bool is_of_trade = one.state == ReceiptState::accepted && is_same_trade(aggregate, one, receipt);
      if (is_of_trade && one.capture_id) visit(one, *find_row(aggregate.captures, *one.capture_id));
    }
  };
  MinorUnits refunded = more;
  visit_captures([&](const Receipt&, const Capture& capture) { refunded += capture.refunded_amount; });
  visit_captures(
      [&](const Receipt& one, Capture& capture) { capture.refunded_amount = allocated_to(aggregate, one, refunded); });
}

// Sets whether the collector queries the running total of a trade. `trade_no`: null if none is to be queried.
void set_total_query(Payment& payment, const std::string* trade_no) {
  payment.query_total_of = trade_no == nullptr ? std::nullopt : std::optional(*trade_no);
}
void set_total_query(Capture& capture, const std::string* trade_no) { capture.is_total_queried = trade_no != nullptr; }

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

Collector collector_of(const Authorization& authorization, const Capture& capture) {
  return {.id = capture.id,
          .order_id = capture.order_id,
          .merchant_id = capture.merchant_id,
          .channel = authorization.channel,
          .channel_account_id = authorization.channel_account_id,
          .funds = authorization.funds,
          .method = authorization.method,
          .out_trade_no = capture.out_trade_no,
          .scenario = authorization.scenario,
          .account_id = authorization.account_id,
          .authorization_id = authorization.id,
          .amount = capture.amount,
          .currency = capture.currency,
          .fee_amount = capture.fee_amount,
          .fee_refundable = capture.fee_refundable};
}

std::optional<Collector> find_collector(const OrderAggregate& aggregate, ObjectRef id) {
  if (id.type == ObjectType::payment) {
    const Payment* payment = find_row(aggregate.payments, PaymentId{id.value});
    return payment == nullptr ? std::nullopt : std::optional(collector_of(*payment));
  }
  const Capture* capture = id.type == ObjectType::capture ? find_row(aggregate.captures, CaptureId{id.value}) : nullptr;
  if (capture == nullptr) return std::nullopt;
  const Authorization* authorization = find_row(aggregate.authorizations, capture->authorization_id);
  return authorization == nullptr ? std::nullopt : std::optional(collector_of(*authorization, *capture));
}

Collector collector_with(const OrderAggregate& aggregate, ObjectRef id) {
  const std::optional<Collector> collector = find_collector(aggregate, id);
  FINALITY_CHECK(collector.has_value(), "a receipt, refund, reversal or channel settlement has a collector");
  return *collector;
}

void name_refunded(const Policy& policy, const Collector& collector, Refund& refund) {
  refund.authorization_id = collector.authorization_id;
  const AuthorizationTerms* terms = collector.authorization_id ? policy.terms_of(collector.channel) : nullptr;
  const bool is_whole_trade = terms != nullptr && terms->refund_by == RefundBy::authorization;
  if (!is_whole_trade) set_collector(refund, collector.id);
}

const Receipt* accepted_receipt_of(const OrderAggregate& aggregate, ObjectRef collector) {
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& receipt) {
    return is_collected_by(receipt, collector) && receipt.state == ReceiptState::accepted;
  });
  return at == aggregate.receipts.end() ? nullptr : &*at;
}

bool add_collected(OrderAggregate& aggregate, const Receipt& receipt) {
  const bool is_accepted = receipt.state == ReceiptState::accepted;
  const auto of_order = checked_add(aggregate.order.paid_amount, is_accepted ? receipt.amount : 0);
  bool fits = of_order.has_value();
  visit_collector(aggregate, receipt, [&](auto& row) {
    const auto paid = checked_add(row.paid_amount, receipt.currency == row.currency ? receipt.amount : 0);
    fits = fits && paid && (!is_accepted || add_captured(aggregate, row, receipt));  // the last, because it adds
    if (fits) row.paid_amount = *paid;
  });
  if (fits) aggregate.order.paid_amount = *of_order;
  if (fits) add_refunded(aggregate, receipt, 0);  // an excess of the trade's refunds is allocated to its last receipt
  return fits;
}

bool add_accepted(Order& order, const Receipt& receipt) {
  const auto paid = checked_add(order.paid_amount, receipt.amount);
  if (paid) order.paid_amount = *paid;
  return paid.has_value();
}

void add_refunded(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits amount) {
  if (receipt.state != ReceiptState::accepted) return;
  aggregate.order.refunded_amount += amount;
  if (receipt.capture_id) allocate_refunds(aggregate, receipt, amount);
}

void add_reversed(OrderAggregate& aggregate, const Receipt& receipt) {
  visit_collector(aggregate, receipt, [&](auto& row) {
    if (receipt.currency == row.currency) row.reversed_amount += receipt.amount;
  });
}

void set_fee(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits amount, bool refundable) {
  visit_collector(aggregate, receipt, [&](auto& row) {
    row.fee_amount = amount;
    row.fee_refundable = refundable;
  });
}

void plan_total_query(OrderAggregate& aggregate, const Receipt& receipt, Time now) {
  const std::string* trade_no = nullptr;
  for (const Receipt& one : aggregate.receipts)
    if (collector_id_of(one) == collector_id_of(receipt) && one.is_total_queried) trade_no = &one.channel_trade_no;
  visit_collector(aggregate, receipt, [&](auto& row) {
    set_total_query(row, trade_no);
    if (trade_no != nullptr) row.due_at = now;
  });
}

}  // namespace finality
