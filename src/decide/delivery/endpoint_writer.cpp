#include "decide/delivery/endpoint_writer.h"

#include <utility>

namespace finality {

WebhookEndpoint* find_endpoint(Context& context, MerchantId merchant, WebhookEndpointId id) {
  const auto* endpoints = context.rows.endpoints.find(merchant);
  if (endpoints == nullptr || find_row(*endpoints, id) == nullptr) return nullptr;
  return find_row(context.rows.endpoints.change(merchant), id);
}

Event& record_endpoint(Context& context, const WebhookEndpoint& endpoint, std::string_view event,
                       std::optional<std::string> from) {
  const auto kind = from == name_of(endpoint.state) ? fsm::CellKind::keep : fsm::CellKind::move;
  return record(context, {endpoint.id, endpoint.merchant_id, endpoint.version}, endpoint.id, event, std::move(from),
                name_of(endpoint.state), kind);
}

}  // namespace finality
