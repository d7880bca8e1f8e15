// Claims the request (send or query) of a due row for the worker.
//
// A send is claimed by the event `send`, in the commit that sets the deadline, before any byte is sent. A query is
// claimed by changing `due_at`; it changes no state and makes no new version.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ClaimRequest {
  MerchantId merchant_id;
  OrderId order_id;
  ObjectRef row;  // a channel operation (channel_operation.h)
  Time due_at;    // as scanned: a row whose due_at has changed is not claimed
};

void add_reads(const ClaimRequest& command, ReadSet& reads);
Decision decide(const ClaimRequest& command, Context& context);

}  // namespace finality
