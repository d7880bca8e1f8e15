// POST /v1/orders/{id}/close: requests the close of an order. The order is closed once all its payments are final.
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

/// Returns a closed, failed or closing order unchanged. Refuses with `not_found` (no such order), `order_succeeded`
/// (the order is paid), `illegal_transition` (the order is parked).
Decision decide(const CloseOrder& command, Context& context);

}  // namespace finality
