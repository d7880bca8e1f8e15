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
/// Has no effect on a hold that has ended or has not reached its expiry. Refuses with `not_found` (no such hold) and
/// `hold_not_open` (the hold belongs to an authorization).
Decision decide(const ExpireHold& command, Context& context);

}  // namespace finality
