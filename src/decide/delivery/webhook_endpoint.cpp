#include "decide/delivery/webhook_endpoint.h"

#include <fmt/format.h>

#include "decide/record.h"

namespace finality {
namespace {

constexpr Duration kOldSecretKept = std::chrono::hours(24);

WebhookEndpoint* find_endpoint(Context& context, MerchantId merchant, WebhookEndpointId id) {
  const auto* endpoints = context.rows.endpoints.find(merchant);
  if (endpoints == nullptr || find_row(*endpoints, id) == nullptr) return nullptr;
  return find_row(context.rows.endpoints.change(merchant), id);
}

Event& trace(Context& context, const WebhookEndpoint& endpoint, std::string_view event,
             std::optional<std::string> from) {
  const auto kind = from == name_of(endpoint.state) ? fsm::CellKind::keep : fsm::CellKind::move;
  return record(context, {endpoint.id, endpoint.merchant_id, endpoint.version}, endpoint.id, event, std::move(from),
                name_of(endpoint.state), kind);
}

}  // namespace

void add_reads(const CreateWebhookEndpoint& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const CreateWebhookEndpoint& command, Context& context) {
  const auto* endpoints = context.rows.endpoints.find(command.merchant_id);
  FINALITY_CHECK(endpoints != nullptr, "a merchant's endpoints are loaded as a list, empty or not");
  if (endpoints->size() >= limits::kWebhookEndpointsMax)
    return refuse(
        RefusalCode::invalid_request,
        fmt::format("A merchant has at most {} webhook endpoints. Delete one first.", limits::kWebhookEndpointsMax),
        "url");
  WebhookEndpoint endpoint;
  endpoint.id = context.next_id<WebhookEndpointId>();
  endpoint.merchant_id = command.merchant_id;
  endpoint.url = command.url;
  endpoint.types = command.types;
  endpoint.acknowledge = command.acknowledge;
  endpoint.secret = command.secret;
  endpoint.created_at = context.now;
  trace(context, endpoint, "created", std::nullopt);
  const WebhookEndpointId id = endpoint.id;
  context.rows.endpoints.change(command.merchant_id).push_back(std::move(endpoint));
  return CommandResult{.object = id, .created = true};
}

void add_reads(const RotateWebhookSecret& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const RotateWebhookSecret& command, Context& context) {
  WebhookEndpoint* endpoint = find_endpoint(context, command.merchant_id, command.endpoint_id);
  if (endpoint == nullptr) return refuse(RefusalCode::not_found, "There is no such webhook endpoint.");
  endpoint->previous_secret = endpoint->secret;
  endpoint->previous_secret_until = context.now + kOldSecretKept;
  endpoint->secret = command.secret;
  endpoint->version += 1;
  trace(context, *endpoint, "rotated", std::string(name_of(endpoint->state)));
  return CommandResult{.object = command.endpoint_id};
}

void add_reads(const DeleteWebhookEndpoint& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const DeleteWebhookEndpoint& command, Context& context) {
  WebhookEndpoint* endpoint = find_endpoint(context, command.merchant_id, command.endpoint_id);
  if (endpoint == nullptr) return refuse(RefusalCode::not_found, "There is no such webhook endpoint.");
  const std::string from(name_of(endpoint->state));
  endpoint->state = EndpointState::deleted;
  endpoint->version += 1;
  trace(context, *endpoint, "deleted", from);
  return CommandResult{.object = command.endpoint_id};
}

}  // namespace finality
