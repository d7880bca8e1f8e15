// A decision on this order broke a rule: nothing more is done to it until operators release it.
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

/// Nothing of the order is due any more. Evidence about it is still booked.
void stop_work(OrderAggregate& aggregate);

}  // namespace finality
