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

/// Refuses: not_found, illegal_transition (given up, or the endpoint is not enabled).
Decision decide(const ResendDelivery& command, Context& context);

}  // namespace finality
