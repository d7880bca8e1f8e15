// Computes the natural keys (model/natural_key.h) of the rows that are archived with an order.
#pragma once

#include <optional>

#include "model/aggregate.h"
#include "model/natural_key.h"

namespace finality {

inline std::optional<Hash16> natural_key_of(const Order& row) {
  return key_of_order_no(row.merchant_id, row.merchant_order_no);
}
inline std::optional<Hash16> natural_key_of(const Receipt& row) {
  return key_of_receipt(row.merchant_id, row.channel, row.channel_trade_no, row.ordinal);
}
inline std::optional<Hash16> natural_key_of(const ChannelSettlement& row) {
  return key_of_channel_settlement(row.merchant_id, row.channel, row.transaction_no);
}
/// Returns empty for a capture that the merchant did not request, because it has no merchant_capture_no.
inline std::optional<Hash16> natural_key_of(const Capture& row) {
  if (row.origin != CaptureOrigin::merchant) return std::nullopt;
  return key_of_capture_no(row.merchant_id, row.merchant_capture_no);
}
/// Returns empty for an external refund, because it has no merchant_refund_no.
inline std::optional<Hash16> natural_key_of(const Refund& row) {
  if (row.origin != RefundOrigin::merchant) return std::nullopt;
  return key_of_refund_no(row.merchant_id, row.merchant_refund_no);
}

}  // namespace finality
