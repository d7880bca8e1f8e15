// The merchant's webhook endpoints: create, rotate the secret, delete.
#pragma once

#include <string>

#include "base/secret.h"
#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateWebhookEndpoint {
  MerchantId merchant_id;
  std::string url;
  std::string types;  // space separated; empty: every type
  Acknowledge acknowledge = Acknowledge::status;
  Secret secret;  // drawn by the caller: decide has no randomness
};
void add_reads(const CreateWebhookEndpoint& command, ReadSet& reads);
/// Refuses: invalid_request (too many endpoints).
Decision decide(const CreateWebhookEndpoint& command, Context& context);

struct RotateWebhookSecret {
  MerchantId merchant_id;
  WebhookEndpointId endpoint_id;
  Secret secret;
};
void add_reads(const RotateWebhookSecret& command, ReadSet& reads);
/// The old secret signs beside the new one for 24 hours. Refuses: not_found.
Decision decide(const RotateWebhookSecret& command, Context& context);

struct DeleteWebhookEndpoint {
  MerchantId merchant_id;
  WebhookEndpointId endpoint_id;
};
void add_reads(const DeleteWebhookEndpoint& command, ReadSet& reads);
/// Refuses: not_found.
Decision decide(const DeleteWebhookEndpoint& command, Context& context);

}  // namespace finality
