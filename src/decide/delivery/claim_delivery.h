// Claims the next attempt of a due delivery, so that only one worker makes it.
#pragma once

#include "decide/delivery/delivery_writer.h"
#include "model/read_set.h"

namespace finality {

struct ClaimDelivery {
  MerchantId merchant_id;
  DeliveryId delivery_id;
  Time due_at;  // value that the scan read: if the row has another due_at by now, nothing is claimed
};

void add_reads(const ClaimDelivery& command, ReadSet& reads);
Decision decide(const ClaimDelivery& command, Context& context);

/// Whether the delivery's endpoint is enabled: neither deleted nor disabled by a 410 response. Always true for a
/// delivery to the order's notify_url.
bool is_endpoint_enabled(const Context& context, const Delivery& delivery);

/// Adds the effect of one attempt, or gives up a delivery whose endpoint is not enabled. A due delivery becomes due
/// again after the attempt's timeout, in case no result is recorded.
void claim_attempt(DeliveryWriter& writer);

}  // namespace finality
