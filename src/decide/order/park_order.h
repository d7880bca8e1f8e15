// Parks an order on which a decision violated an invariant. Nothing is sent for a parked order until operators release
// it by resolving its case.
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
/// Opens a case `invariant_violation` with the finding as evidence. Refuses with `not_found` (no such order).
Decision decide(const ParkOrder& command, Context& context);

/// Clears due_at of the order and its child rows, so that no scan finds them. Evidence about the order is still booked.
void stop_work(OrderAggregate& aggregate);

}  // namespace finality
