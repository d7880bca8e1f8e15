// The rows that receipts and refunds belong to, for the auditors. Independent of src/decide/payment/collector.h, which
// the auditors check.
#pragma once

#include <algorithm>
#include <optional>

#include "model/aggregate.h"

namespace finality::sim {

/// What collected a receipt at the channel: a payment.
struct CollectedBy {
  ObjectRef id;
  MinorUnits amount = 0;
  ChannelAccountId channel_account_id;
  Funds funds = Funds::platform;
  MinorUnits fee_amount = 0;
  bool fee_refundable = false;
};

/// Returns what collected the receipt, or the receipt of the refund, reversal or channel settlement; empty if the order
/// does not have that row.
template <class Row>
std::optional<CollectedBy> collected_by(const OrderAggregate& aggregate, const Row& row) {
  const Payment* payment = find_row(aggregate.payments, row.payment_id);
  if (payment == nullptr) return std::nullopt;
  return CollectedBy{payment->id,    payment->amount,     payment->channel_account_id,
                     payment->funds, payment->fee_amount, payment->fee_refundable};
}

/// Returns the receipt that the refund returns; null if the order does not have it. A refund that the merchant
/// requested names no receipt: it returns the accepted one.
inline const Receipt* refunded_receipt(const OrderAggregate& aggregate, const Refund& refund) {
  if (refund.receipt_id) return find_row(aggregate.receipts, *refund.receipt_id);
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& receipt) {
    return receipt.payment_id == refund.payment_id && receipt.state == ReceiptState::accepted;
  });
  return at == aggregate.receipts.end() ? nullptr : &*at;
}

}  // namespace finality::sim
