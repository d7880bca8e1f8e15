// Books receipts of paid trades. Starts and completes the return of receipts that were not accepted.
#pragma once

#include "decide/order/order_writer.h"
#include "model/evidence.h"

namespace finality {

struct BookedReceipt {
  ReceiptId id;
  /// Id of the posting's first entry. Empty when a sum overflows, which is a finding.
  std::optional<EntryId> journal;
};

/// Adds the receipt in `state` and posts it. Returns the receipt's id and its posting.
BookedReceipt book_receipt(OrderWriter& writer, Payment& payment, const Evidence& evidence, ReceiptState state);

/// Marks a receipt in suspense as returned, after a reversal or external refunds have returned all of it.
void return_receipt(OrderWriter& writer, Receipt& receipt);

/// Creates the reversal of the remaining amount of a receipt in suspense, unless its refunded amount is unknown. The
/// reversal of a parked order is sent only after the release.
void start_reversal(OrderWriter& writer, const Receipt& receipt);

}  // namespace finality
