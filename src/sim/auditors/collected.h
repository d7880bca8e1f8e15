// The rows and trades that receipts and refunds belong to, for the auditors. Independent of
// src/decide/payment/collector.h, which the auditors check.
#pragma once

#include <algorithm>
#include <optional>

#include "model/aggregate.h"
#include "sim/upstream/upstream.h"

namespace finality::sim {

/// What collected a receipt at the channel: a payment, or a capture of an authorization.
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
  if (row.capture_id) {
    const Capture* capture = find_row(aggregate.captures, *row.capture_id);
    const Authorization* of =
        capture != nullptr ? find_row(aggregate.authorizations, capture->authorization_id) : nullptr;
    if (of == nullptr || row.payment_id != PaymentId{}) return std::nullopt;
    return CollectedBy{capture->id, capture->amount,     of->channel_account_id,
                       of->funds,   capture->fee_amount, capture->fee_refundable};
  }
  const Payment* payment = find_row(aggregate.payments, row.payment_id);
  if (payment == nullptr) return std::nullopt;
  return CollectedBy{payment->id,    payment->amount,     payment->channel_account_id,
                     payment->funds, payment->fee_amount, payment->fee_refundable};
}

/// Returns the receipt that the refund returns; null if the order does not have it. A refund that the merchant
/// requested of a payment names no receipt: it returns the accepted one.
inline const Receipt* refunded_receipt(const OrderAggregate& aggregate, const Refund& refund) {
  if (refund.receipt_id) return find_row(aggregate.receipts, *refund.receipt_id);
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& receipt) {
    return receipt.payment_id == refund.payment_id && receipt.state == ReceiptState::accepted;
  });
  return at == aggregate.receipts.end() ? nullptr : &*at;
}

/// Returns the trade of the receipt at the channel; null for a receipt from the wallet, and for a capture that was
/// booked from a captured total, which names no trade.
inline const Trade* trade_of(const Upstream& upstream, const OrderAggregate& aggregate, const Receipt& receipt) {
  if (!receipt.capture_id) return upstream.find_trade(receipt.channel, receipt.channel_trade_no);
  const Capture* capture = find_row(aggregate.captures, *receipt.capture_id);
  if (capture == nullptr || capture->out_trade_no.empty()) return nullptr;
  return upstream.find_trade(receipt.channel, receipt.channel_trade_no, capture->out_trade_no);
}

}  // namespace finality::sim
