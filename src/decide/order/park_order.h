// Parks an order on which a decision violated an invariant: no requests are sent until operators release it.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ParkOrder {
  MerchantId merchant_id;
  OrderId order_id;
  std::string finding;
};

void add_reads(const ParkOrder& command, ReadSet& reads);
Decision decide(const ParkOrder& command, Context& context);

/// Clears every due_at of the order. Evidence about the order is still booked.
void stop_work(OrderAggregate& aggregate);

}  // namespace finality
