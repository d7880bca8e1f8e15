// Claims the next request (send or query) of a due payment, authorization, capture, refund or reversal, so that only
// one worker makes it.
//
// A send is claimed by the event `send`, in the commit that sets the deadline, before any byte is sent. A query is
// claimed by changing `due_at`; the row's state and the order's version do not change. An authorization that holds an
// amount also has a deadline (claim_authorized.h).
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ClaimRequest {
  MerchantId merchant_id;
  OrderId order_id;
  ObjectRef row;  // a channel operation (channel_operation.h)
  Time due_at;    // value that the scan read: if the row has another due_at by now, nothing is claimed
};

void add_reads(const ClaimRequest& command, ReadSet& reads);
Decision decide(const ClaimRequest& command, Context& context);

}  // namespace finality
