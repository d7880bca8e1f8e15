#include "decide/delivery/create_webhook_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "decide/delivery/endpoint_writer.h"

namespace finality {

void add_reads(const CreateWebhookEndpoint& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const CreateWebhookEndpoint& command, Context& context) {
  const auto* endpoints = context.rows.endpoints.find(command.merchant_id);
  FINALITY_CHECK(endpoints != nullptr, "a merchant's endpoints are always loaded as a list");
  if (endpoints->size() >= limits::kWebhookEndpointsMax)
    return refuse(
        RefusalCode::invalid_request,
        fmt::format("The limit of {} webhook endpoints is reached. Delete one first.", limits::kWebhookEndpointsMax),
        "url");
  const auto same = std::ranges::find(*endpoints, command.url, &WebhookEndpoint::url);
  if (same != endpoints->end())
    return refuse(RefusalCode::invalid_request,
                  fmt::format("url is already registered as {}, and would receive every webhook twice. Delete that "
                              "endpoint first, or rotate its secret.",
                              to_text(same->id)),
                  "url");
  WebhookEndpoint endpoint;
  endpoint.id = context.next_id<WebhookEndpointId>();
  endpoint.merchant_id = command.merchant_id;
  endpoint.url = command.url;
  endpoint.types = command.types;
  endpoint.acknowledge = command.acknowledge;
  endpoint.secret = command.secret;
  endpoint.created_at = context.now;
  record_endpoint(context, endpoint, "created", std::nullopt);
  const WebhookEndpointId id = endpoint.id;
  context.rows.endpoints.change(command.merchant_id).push_back(std::move(endpoint));
  return CommandResult{.object = id, .created = true};
}

}  // namespace finality
