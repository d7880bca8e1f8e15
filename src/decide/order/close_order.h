// POST /v1/orders/{id}/close: requests the close of an order. It takes effect once no payment is open.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CloseOrder {
  MerchantId merchant_id;
  OrderId order_id;
  ClosedReason reason = ClosedReason::cancelled;
};

void add_reads(const CloseOrder& command, ReadSet& reads);

/// Refuses: not_found, order_succeeded, illegal_transition (parked). Closing a closed or failed order returns it
/// unchanged.
Decision decide(const CloseOrder& command, Context& context);

}  // namespace finality
