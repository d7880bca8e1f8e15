// Starts the close of an order that has reached its expires_at.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ExpireOrder {
  MerchantId merchant_id;
  OrderId order_id;
  Time due_at;
};

void add_reads(const ExpireOrder& command, ReadSet& reads);
/// Has no effect when the order's due_at has changed, or when the order is final, closing or parked.
Decision decide(const ExpireOrder& command, Context& context);

}  // namespace finality
