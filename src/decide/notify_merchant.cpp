#include "decide/notify_merchant.h"

#include "model/row.h"
#include "wire/link.h"
#include "wire/wire.h"

namespace finality {
namespace {

struct Notice {
  MerchantId merchant_id;
  OrderId order_id;
  std::string_view type;
  const std::string& body;
};

void make_delivery(Context& context, const Notice& notice, const std::string& url, const WebhookEndpoint* endpoint) {
  Delivery delivery;
  delivery.id = context.next_id<DeliveryId>();
  delivery.merchant_id = notice.merchant_id;
  delivery.order_id = notice.order_id;
  if (endpoint != nullptr) {
    delivery.endpoint_id = endpoint->id;
    delivery.acknowledge = endpoint->acknowledge;
  }
  delivery.url = url;
  delivery.type = notice.type;
  delivery.body = notice.body;
  delivery.created_at = context.now;
  const Time deadline = context.now + context.policy.webhook_timeout;
  delivery.due_at = deadline + limits::kEffectMargin;

  record(context, {delivery.id, delivery.merchant_id, delivery.version}, delivery.id, "created", std::nullopt,
         name_of(delivery.state), fsm::CellKind::move);
  context.effects.emplace_back(Deliver{delivery, secrets_of(context, delivery), deadline});
  const DeliveryId id = delivery.id;
  context.rows.deliveries.insert(id, DeliveryAggregate{std::move(delivery), {}});
}

void notify_endpoints(Context& context, const Notice& notice, std::optional<WebhookEndpointId> but_not) {
  const auto* endpoints = context.rows.endpoints.find(notice.merchant_id);
  if (endpoints == nullptr) return;
  for (const WebhookEndpoint& endpoint : *endpoints)
    if (endpoint.state == EndpointState::enabled && endpoint.id != but_not &&
        (endpoint.types.empty() || listed(endpoint.types, notice.type)))
      make_delivery(context, notice, endpoint.url, &endpoint);
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
  const Notice notice{order.merchant_id, order.id, type, body};
  notify_endpoints(context, notice, {});
  if (order.notify_url) make_delivery(context, notice, *order.notify_url, nullptr);
}

void notify_other_endpoints(Context& context, const Delivery& delivery, std::string_view type,
                            std::string_view data_json) {
  const std::string body = wire::notification_json(type, context.now, data_json);
  notify_endpoints(context, {delivery.merchant_id, delivery.order_id, type, body}, delivery.endpoint_id);
}

void notify_order_ended(OrderWriter& writer) {
  Context& context = writer.context();
  const Merchant* merchant = context.rows.merchants.find(writer.order().merchant_id);
  FINALITY_CHECK(merchant != nullptr, "an order without its merchant");
  const std::string type = "order." + std::string(name_of(writer.order().state));
  const std::string url = wire::checkout_url(context.policy.public_url, *merchant, writer.order().id);
  notify_merchant(writer, type, wire::order_json(writer.aggregate(), url));
}

const WebhookEndpoint* endpoint_of(const Context& context, const Delivery& delivery) {
  if (!delivery.endpoint_id) return nullptr;
  const auto* endpoints = context.rows.endpoints.find(delivery.merchant_id);
  return endpoints != nullptr ? find_row(*endpoints, *delivery.endpoint_id) : nullptr;
}

std::vector<Secret> secrets_of(const Context& context, const Delivery& delivery) {
  if (!delivery.endpoint_id) {
    const Merchant* merchant = context.rows.merchants.find(delivery.merchant_id);
    FINALITY_CHECK(merchant != nullptr, "a delivery without its merchant");
    return in_force(merchant->webhook_secret, merchant->previous_webhook_secret,
                    merchant->previous_webhook_secret_until, context.now);
  }
  const WebhookEndpoint* endpoint = endpoint_of(context, delivery);
  if (endpoint == nullptr) return {};
  return in_force(endpoint->secret, endpoint->previous_secret, endpoint->previous_secret_until, context.now);
}

}  // namespace finality
