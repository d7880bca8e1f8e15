// A delivery came due: claim the attempt and hand it to the worker.
#pragma once

#include "decide/context.h"
#include "model/needs.h"

namespace finality {

struct ClaimDelivery {
  MerchantId merchant_id;
  DeliveryId delivery_id;
  Time due_at;  // as scanned: a row that moved on meanwhile is not claimed
};

void add_needs(const ClaimDelivery& command, Needs& needs);
Decision decide(const ClaimDelivery& command, Context& context);

/// Hands one attempt to the worker. A delivery that is due is due again when nothing is heard of the attempt.
void claim_attempt(Context& context, Delivery& delivery);

}  // namespace finality
