// Releases a hold that has reached its expiry.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ExpireHold {
  MerchantId merchant_id;
  HoldId hold_id;
};

void add_reads(const ExpireHold& command, ReadSet& reads);
Decision decide(const ExpireHold& command, Context& context);

}  // namespace finality
