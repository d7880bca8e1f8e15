// POST /v1/webhook_deliveries/{id}/resend: makes one attempt now, in any state except given_up.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ResendDelivery {
  MerchantId merchant_id;
  DeliveryId delivery_id;
};

void add_reads(const ResendDelivery& command, ReadSet& reads);

/// Refuses with `not_found` (no such delivery), `illegal_transition` (the delivery is given up, or its endpoint was
/// deleted or disabled).
Decision decide(const ResendDelivery& command, Context& context);

}  // namespace finality
