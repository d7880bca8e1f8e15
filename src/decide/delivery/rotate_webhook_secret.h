// Replaces the secret that signs the deliveries to a webhook endpoint.
#pragma once

#include "base/secret.h"
#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RotateWebhookSecret {
  MerchantId merchant_id;
  WebhookEndpointId endpoint_id;
  Secret secret;
};
void add_reads(const RotateWebhookSecret& command, ReadSet& reads);
/// Deliveries are signed with both secrets for 24 hours, then only with the new secret. Refuses with `not_found` (the
/// merchant has no such endpoint).
Decision decide(const RotateWebhookSecret& command, Context& context);

}  // namespace finality
