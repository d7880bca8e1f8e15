#include "decide/delivery/delete_webhook_endpoint.h"

#include "decide/delivery/endpoint_writer.h"

namespace finality {

void add_reads(const DeleteWebhookEndpoint& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const DeleteWebhookEndpoint& command, Context& context) {
  WebhookEndpoint* endpoint = find_endpoint(context, command.merchant_id, command.endpoint_id);
  if (endpoint == nullptr) return refuse(RefusalCode::not_found, "The webhook endpoint does not exist.");
  const std::string from(name_of(endpoint->state));
  endpoint->state = EndpointState::deleted;
  endpoint->version += 1;
  record_endpoint(context, *endpoint, "deleted", from);
  return CommandResult{.object = command.endpoint_id};
}

}  // namespace finality
