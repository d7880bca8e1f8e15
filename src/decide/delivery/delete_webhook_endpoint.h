// Deletes a webhook endpoint of a merchant.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct DeleteWebhookEndpoint {
  MerchantId merchant_id;
  WebhookEndpointId endpoint_id;
};
void add_reads(const DeleteWebhookEndpoint& command, ReadSet& reads);
/// Refuses with `not_found` (the merchant has no such endpoint).
Decision decide(const DeleteWebhookEndpoint& command, Context& context);

}  // namespace finality
