// A request to a channel came due: claim what its state owes (send, query) and hand it to the worker.
//
// A sending is claimed by its own event, in the commit that sets the deadline, before any byte leaves. Asking is
// claimed by moving `due_at` on: it changes no state, so it makes no new version.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ClaimRequest {
  MerchantId merchant_id;
  OrderId order_id;
  ObjectRef row;  // of a type that channel_operation.h knows
  Time due_at;    // as scanned: a row that moved on meanwhile is not claimed
};

void add_reads(const ClaimRequest& command, ReadSet& reads);
Decision decide(const ClaimRequest& command, Context& context);

}  // namespace finality
