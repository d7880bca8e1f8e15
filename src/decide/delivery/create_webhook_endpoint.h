// Creates a webhook endpoint of the merchant.
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

}  // namespace finality
