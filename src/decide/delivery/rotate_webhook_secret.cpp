#include "decide/delivery/rotate_webhook_secret.h"

#include "decide/delivery/endpoint_writer.h"

namespace finality {
namespace {

constexpr Duration kOldSecretKept = std::chrono::hours(24);

}  // namespace

void add_reads(const RotateWebhookSecret& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const RotateWebhookSecret& command, Context& context) {
  WebhookEndpoint* endpoint = find_endpoint(context, command.merchant_id, command.endpoint_id);
  if (endpoint == nullptr) return refuse(RefusalCode::not_found, "The webhook endpoint does not exist.");
  endpoint->previous_secret = endpoint->secret;
  endpoint->previous_secret_until = context.now + kOldSecretKept;
  endpoint->secret = command.secret;
  endpoint->version += 1;
  record_endpoint(context, *endpoint, "rotated", std::string(name_of(endpoint->state)));
  return CommandResult{.object = command.endpoint_id};
}

}  // namespace finality
