// An upstream trade that was really paid becomes a receipt, is posted, and where nobody may keep it goes back.
#pragma once

#include "decide/order/order_writer.h"
#include "model/evidence.h"

namespace finality {

struct BookedReceipt {
  ReceiptId id;
  /// Empty when the sums do not fit (a finding).
  std::optional<EntryId> journal;
};

/// Adds the receipt in `state` and posts it.
BookedReceipt book_receipt(OrderWriter& writer, Payment& payment, const Evidence& evidence, ReceiptState state);

/// All of a receipt in suspense has gone back, by whatever way.
void return_receipt(OrderWriter& writer, Receipt& receipt);

/// Starts returning the rest of a receipt in suspense; of a parked order only once it is
/// released, and not while it is unknown how much of it the channel has refunded.
void start_reversal(OrderWriter& writer, const Receipt& receipt);

}  // namespace finality
