// Claims an attempt of a due delivery for the worker.
#pragma once

#include "decide/delivery/delivery_writer.h"
#include "model/read_set.h"

namespace finality {

struct ClaimDelivery {
  MerchantId merchant_id;
  DeliveryId delivery_id;
  Time due_at;  // as scanned: a row whose due_at has changed is not claimed
};

void add_reads(const ClaimDelivery& command, ReadSet& reads);
Decision decide(const ClaimDelivery& command, Context& context);

/// Whether the delivery's endpoint is enabled: not deleted, and not disabled by a 410. True for a notify_url.
bool is_endpoint_enabled(const Context& context, const Delivery& delivery);

/// Adds the effect of one attempt, or gives up a delivery whose endpoint is not enabled. A due delivery becomes due
/// again when no result of the attempt is recorded.
void claim_attempt(DeliveryWriter& writer);

}  // namespace finality
