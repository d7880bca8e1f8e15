// POST /v1/holds/{id}/void (回滚): releases the whole amount of a hold.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct VoidHold {
  MerchantId merchant_id;
  HoldId hold_id;
};

void add_reads(const VoidHold& command, ReadSet& reads);

/// Also allowed on a frozen or locked account, because its balance is not debited. Refuses with `not_found` (no such
/// hold), `hold_not_open` (the hold has ended, has reached its expiry or belongs to an authorization).
Decision decide(const VoidHold& command, Context& context);

}  // namespace finality
