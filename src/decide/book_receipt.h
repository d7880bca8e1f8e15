// An upstream trade that was really paid becomes a receipt, is posted, and where nobody may keep it goes back.
#pragma once

#include "decide/order_writer.h"
#include "model/evidence.h"

namespace finality {

struct BookedReceipt {
  ReceiptId id;
  /// Empty when nothing is posted (a receipt that the channel has returned already) or the sums do not fit (a finding).
  std::optional<EntryId> journal;
};

/// Adds the receipt in `state` and posts it.
BookedReceipt book_receipt(OrderWriter& writer, Payment& payment, const Evidence& evidence, ReceiptState state);

/// Starts sending the receipt's money back where it came from.
void start_reversal(OrderWriter& writer, const Receipt& receipt);

}  // namespace finality
