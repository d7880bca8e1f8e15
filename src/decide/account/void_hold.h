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

/// Also allowed on a frozen or locked account, because no money leaves it. Refuses: not_found, hold_not_open.
Decision decide(const VoidHold& command, Context& context);

}  // namespace finality
