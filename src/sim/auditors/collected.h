// The rows and trades that receipts and refunds belong to, for the auditors. Independent of
// src/decide/payment/collector.h and trade.h, which the auditors check.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

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
/// does not have that row. A refund of a whole trade names only its receipt.
template <class Row>
std::optional<CollectedBy> collected_by(const OrderAggregate& aggregate, const Row& row) {
  if constexpr (std::is_same_v<Row, Refund>) {
    const Receipt* receipt = row.receipt_id ? find_row(aggregate.receipts, *row.receipt_id) : nullptr;
    const bool is_whole_trade = row.authorization_id && !row.capture_id;
    if (is_whole_trade) return receipt == nullptr ? std::nullopt : collected_by(aggregate, *receipt);
  }
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

/// Returns the number of the receipt's trade. That of a capture which was booked from a captured total is reported
/// later.
inline const std::string& trade_number(const OrderAggregate& aggregate, const Receipt& receipt) {
  const Capture* capture = receipt.capture_id ? find_row(aggregate.captures, *receipt.capture_id) : nullptr;
  const bool is_numbered = capture != nullptr && capture->out_trade_no.empty() && capture->channel_trade_no;
  return is_numbered ? *capture->channel_trade_no : receipt.channel_trade_no;
}

/// Whether the channel refunds the money of both receipts as one trade.
inline bool is_one_trade(const OrderAggregate& aggregate, const Receipt& one, const Receipt& other) {
  return one.id == other.id ||
         (one.capture_id && other.capture_id && one.channel == other.channel && one.currency == other.currency &&
          trade_number(aggregate, one) == trade_number(aggregate, other));
}

/// Returns the sum of the refunds of accepted receipts of the receipt's trade for which `counts` returns true.
template <class Counts>
MinorUnits refunds_of_trade(const OrderAggregate& aggregate, const Receipt& receipt, Counts counts) {
  MinorUnits sum = 0;
  for (const Refund& refund : aggregate.refunds) {
    const Receipt* of = refunded_receipt(aggregate, refund);
    const bool is_of_trade =
        of != nullptr && of->state == ReceiptState::accepted && is_one_trade(aggregate, *of, receipt);
    if (is_of_trade && counts(refund)) sum += refund.amount - refund.returned_amount;
  }
  return sum;
}

/// Returns the part of `refunded`, the refunds of the trade, that the accepted receipt has: the receipts of a trade are
/// refunded one after the other, and an excess is that of the last one.
inline MinorUnits part_of_refunds(const OrderAggregate& aggregate, const Receipt& receipt, MinorUnits refunded) {
  MinorUnits left = refunded;
  bool is_last = true;
  for (const Receipt& other : aggregate.receipts) {
    if (other.state != ReceiptState::accepted || !is_one_trade(aggregate, other, receipt)) continue;
    if (other.id < receipt.id) left -= other.amount;
    is_last = is_last && !(receipt.id < other.id);
  }
  left = std::max<MinorUnits>(left, 0);
  return is_last ? left : std::min(left, receipt.amount);
}

/// Whether the trade is only a part of an amount that was booked from a captured total: the channel had refused its
/// capture. Then it has no separate receipt, and check_hold() in end_audit.cpp compares the sums.
inline bool is_in_total(const OrderAggregate& aggregate, const Trade& trade) {
  const auto refused = std::ranges::find_if(aggregate.captures, [&](const Capture& capture) {
    return capture.state == CaptureState::failed && capture.out_trade_no == trade.out_trade_no &&
           capture.channel_trade_no == trade.trade_no;
  });
  if (refused == aggregate.captures.end()) return false;
  const bool has_case = std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return row.kind == CaseKind::conflicting_result && row.object_id == refused->id.value;
  });
  return has_case && std::ranges::any_of(aggregate.captures, [&](const Capture& capture) {
           return capture.authorization_id == refused->authorization_id && capture.out_trade_no.empty() &&
                  !capture.channel_trade_no;
         });
}

/// Returns the trade of the receipt at the channel; null for a receipt from the wallet, and for a capture that was
/// booked from a captured total and whose trade is not known.
inline const Trade* trade_of(const Upstream& upstream, const OrderAggregate& aggregate, const Receipt& receipt) {
  if (!receipt.capture_id) return upstream.find_trade(receipt.channel, receipt.channel_trade_no);
  const Capture* capture = find_row(aggregate.captures, *receipt.capture_id);
  if (capture == nullptr || (capture->out_trade_no.empty() && !capture->channel_trade_no)) return nullptr;
  return upstream.find_trade(receipt.channel, trade_number(aggregate, receipt), capture->out_trade_no);
}

}  // namespace finality::sim
