// Books receipts of paid trades. Starts and completes the return of receipts in suspense to the payer.
#pragma once

#include "decide/order/order_writer.h"
#include "decide/payment/collector.h"
#include "model/evidence.h"

namespace finality {

struct BookedReceipt {
  ReceiptId id;
  /// Id of the posting's first entry. Empty when a sum overflows; the overflow is added to Context::findings.
  std::optional<EntryId> journal;
};

/// Whether the trade of the collector that the channel reports has a receipt. REQUIRES: the collector is of the order;
/// add_reads() added key_of_receipt() of the trade number.
bool has_receipt(const Context& context, const OrderAggregate& aggregate, ObjectRef collector,
                 std::string_view trade_no);

/// Adds the receipt of the collector's trade that `evidence` reports as paid, in `state`, and posts its amount.
/// REQUIRES: the merchant has no receipt of the trade.
BookedReceipt book_receipt(OrderWriter& writer, const Collector& collector, const Evidence& evidence,
                           ReceiptState state);

/// Marks a receipt in suspense as returned. REQUIRES: a reversal or external refunds have returned its whole amount.
void return_receipt(OrderWriter& writer, Receipt& receipt);

/// Creates the reversal of the remaining amount of a receipt in suspense and claims its send. While the refunded amount
/// of its trade is unknown, the receipt's collector has an open case `external_refund` instead. For a parked order, the
/// reversal is sent after the release. REQUIRES: as open_case().
void start_reversal(OrderWriter& writer, const Receipt& receipt);

}  // namespace finality
