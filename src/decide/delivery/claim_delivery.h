// A delivery came due: claim the attempt and hand it to the worker.
#pragma once

#include "decide/delivery/delivery_writer.h"
#include "model/read_set.h"

namespace finality {

struct ClaimDelivery {
  MerchantId merchant_id;
  DeliveryId delivery_id;
  Time due_at;  // as scanned: a row that moved on meanwhile is not claimed
};

void add_reads(const ClaimDelivery& command, ReadSet& reads);
Decision decide(const ClaimDelivery& command, Context& context);

/// Nothing more goes to an endpoint that was deleted, or that said it wants nothing more (410).
bool is_wanted(const Context& context, const Delivery& delivery);

/// Hands one attempt to the worker, or gives up a delivery that nobody wants any more. A delivery that is due is due
/// again when nothing is heard of the attempt.
void claim_attempt(DeliveryWriter& writer);

}  // namespace finality
