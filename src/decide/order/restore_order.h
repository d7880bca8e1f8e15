// Puts an archived order back into the store, before evidence about it or a refund of it is decided.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RestoreOrder {
  MerchantId merchant_id;
  RestoredOrder restored;  // as read from its archive
};

void add_reads(const RestoreOrder& command, ReadSet& reads);

/// Restores the order as it was, without an event: the next command sees it. Changes nothing if the order is in the
/// store. The commit conflicts if the order is not in that archive, also if another server restores it meanwhile.
/// Refuses with `not_found` if the order belongs to another merchant.
Decision decide(const RestoreOrder& command, Context& context);

}  // namespace finality
