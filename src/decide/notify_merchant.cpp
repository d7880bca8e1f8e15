#include "decide/notify_merchant.h"

#include "model/row.h"
#include "wire/wire.h"

namespace finality {
namespace {

void make_delivery(Context& context, const Order& order, std::string_view type, const std::string& body,
                   const std::string& url, const WebhookEndpoint* endpoint) {
  Delivery delivery;
  delivery.id = context.next_id<DeliveryId>();
  delivery.merchant_id = order.merchant_id;
  delivery.order_id = order.id;
  if (endpoint != nullptr) {
    delivery.endpoint_id = endpoint->id;
    delivery.acknowledge = endpoint->acknowledge;
  }
  delivery.url = url;
  delivery.type = type;
  delivery.body = body;
  delivery.created_at = context.now;
  const Time deadline = context.now + context.policy.webhook_timeout;
  delivery.due_at = deadline + limits::kEffectMargin;

  record(context, {delivery.id, delivery.merchant_id, delivery.version}, delivery.id, "created", std::nullopt,
         name_of(delivery.state), fsm::CellKind::move);
  context.effects.emplace_back(Deliver{delivery, secrets_of(context, delivery), deadline});
  const DeliveryId id = delivery.id;
  context.rows.deliveries.insert(id, DeliveryAggregate{std::move(delivery), {}});
}

std::vector<Secret> in_force(const Secret& secret, const std::optional<Secret>& previous,
                             const std::optional<Time>& previous_until, Time now) {
  std::vector<Secret> secrets{secret};
  if (previous && previous_until && *previous_until > now) secrets.push_back(*previous);
  return secrets;
}

}  // namespace

void notify_merchant(OrderWriter& writer, std::string_view type, std::string_view data_json) {
  Context& context = writer.context();
  const Order& order = writer.order();
  const std::string body = wire::notification_json(type, context.now, data_json);
  if (const auto* endpoints = context.rows.endpoints.find(order.merchant_id))
    for (const WebhookEndpoint& endpoint : *endpoints)
      if (endpoint.state == EndpointState::enabled && (endpoint.types.empty() || listed(endpoint.types, type)))
        make_delivery(context, order, type, body, endpoint.url, &endpoint);
  if (order.notify_url) make_delivery(context, order, type, body, *order.notify_url, nullptr);
}

void notify_order_ended(OrderWriter& writer) {
  Context& context = writer.context();
  const Merchant* merchant = context.rows.merchants.find(writer.order().merchant_id);
  FINALITY_CHECK(merchant != nullptr, "an order without its merchant");
  const std::string type = "order." + std::string(name_of(writer.order().state));
  const std::string url = wire::checkout_url(context.policy.public_url, *merchant, writer.order().id);
  notify_merchant(writer, type, wire::order_json(writer.aggregate(), url));
}

std::vector<Secret> secrets_of(const Context& context, const Delivery& delivery) {
  if (!delivery.endpoint_id) {
    const Merchant* merchant = context.rows.merchants.find(delivery.merchant_id);
    FINALITY_CHECK(merchant != nullptr, "a delivery without its merchant");
    return in_force(merchant->webhook_secret, merchant->previous_webhook_secret,
                    merchant->previous_webhook_secret_until, context.now);
  }
  const auto* endpoints = context.rows.endpoints.find(delivery.merchant_id);
  const WebhookEndpoint* endpoint = endpoints != nullptr ? find_row(*endpoints, *delivery.endpoint_id) : nullptr;
  if (endpoint == nullptr) return {};
  return in_force(endpoint->secret, endpoint->previous_secret, endpoint->previous_secret_until, context.now);
}

}  // namespace finality
