#include "decide/delivery/notify_merchant.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/row.h"

namespace finality {
namespace {

/// The recipients of a notification: the merchant's endpoints, except `but_not`.
struct Addressees {
  MerchantId merchant_id;
  OrderId order_id;
  std::optional<WebhookEndpointId> but_not{};
};

DeliveryId make_delivery(Context& context, const Addressees& to, const std::string& type, const std::string& url,
                         const WebhookEndpoint* endpoint) {
  Delivery delivery;
  delivery.id = context.next_id<DeliveryId>();
  delivery.merchant_id = to.merchant_id;
  delivery.order_id = to.order_id;
  if (endpoint != nullptr) {
    delivery.endpoint_id = endpoint->id;
    delivery.acknowledge = endpoint->acknowledge;
  }
  delivery.url = url;
  delivery.type = type;
  delivery.created_at = context.now;
  const Time deadline = context.now + context.policy.webhook_timeout;
  delivery.due_at = deadline + limits::kEffectMargin;

  record(context, {delivery.id, delivery.merchant_id, delivery.version}, delivery.id, "created", std::nullopt,
         name_of(delivery.state), fsm::CellKind::move);
  context.effects.emplace_back(DeliveryAttempt{delivery, secrets_of(context, delivery), deadline});
  const DeliveryId id = delivery.id;
  context.rows.deliveries.insert(id, DeliveryAggregate{std::move(delivery), {}});
  return id;
}

std::vector<DeliveryId> notify_endpoints(Context& context, const Addressees& to, const std::string& type) {
  std::vector<DeliveryId> made;
  const auto* endpoints = context.rows.endpoints.find(to.merchant_id);
  if (endpoints == nullptr) return made;
  for (const WebhookEndpoint& endpoint : *endpoints)
    if (endpoint.state == EndpointState::enabled && endpoint.id != to.but_not &&
        (endpoint.types.empty() || listed(endpoint.types, type)))
      made.push_back(make_delivery(context, to, type, endpoint.url, &endpoint));
  return made;
}

void note(Context& context, std::string type, NotifiedObject object, std::vector<DeliveryId> made) {
  if (!made.empty()) context.notices.push_back({std::move(type), std::move(object), std::move(made)});
}

std::vector<Secret> in_force(const Secret& secret, const std::optional<Secret>& previous,
                             const std::optional<Time>& previous_until, Time now) {
  std::vector<Secret> secrets{secret};
  if (previous && previous_until && *previous_until > now) secrets.push_back(*previous);
  return secrets;
}

}  // namespace

void notify_merchant(OrderWriter& writer, std::string type, NotifiedObject object) {
  Context& context = writer.context();
  const Order& order = writer.order();
  const Addressees to{order.merchant_id, order.id};
  std::vector<DeliveryId> made = notify_endpoints(context, to, type);
  if (order.notify_url) made.push_back(make_delivery(context, to, type, *order.notify_url, nullptr));
  note(context, std::move(type), std::move(object), std::move(made));
}

void notify_other_endpoints(Context& context, const Delivery& delivery, std::string type, NotifiedObject object) {
  const Addressees to{delivery.merchant_id, delivery.order_id, delivery.endpoint_id};
  std::vector<DeliveryId> made = notify_endpoints(context, to, type);
  note(context, std::move(type), std::move(object), std::move(made));
}

// Copies the order in its current state, because the same command may book refunds of it before the body is rendered.
void notify_order_state(OrderWriter& writer) {
  const OrderAggregate& now = writer.aggregate();
  OrderAggregate shown;
  shown.order = now.order;
  shown.payments = now.payments;
  shown.authorizations = now.authorizations;
  shown.captures = now.captures;
  notify_merchant(writer, "order." + std::string(name_of(now.order.state)), std::move(shown));
}

void notify_authorization(OrderWriter& writer, std::string type, const Authorization& authorization) {
  AuthorizationSnapshot shown{authorization, {}};
  std::ranges::copy_if(writer.aggregate().captures, std::back_inserter(shown.captures),
                       [&](const Capture& capture) { return capture.authorization_id == authorization.id; });
  notify_merchant(writer, std::move(type), std::move(shown));
}

const WebhookEndpoint* endpoint_of(const Context& context, const Delivery& delivery) {
  if (!delivery.endpoint_id) return nullptr;
  const auto* endpoints = context.rows.endpoints.find(delivery.merchant_id);
  return endpoints != nullptr ? find_row(*endpoints, *delivery.endpoint_id) : nullptr;
}

std::vector<Secret> secrets_of(const Context& context, const Delivery& delivery) {
  if (!delivery.endpoint_id) {
    const Merchant* merchant = context.rows.merchants.find(delivery.merchant_id);
    FINALITY_CHECK(merchant != nullptr, "the merchant of a delivery is always loaded");
    return in_force(merchant->webhook_secret, merchant->previous_webhook_secret,
                    merchant->previous_webhook_secret_until, context.now);
  }
  const WebhookEndpoint* endpoint = endpoint_of(context, delivery);
  if (endpoint == nullptr) return {};
  return in_force(endpoint->secret, endpoint->previous_secret, endpoint->previous_secret_until, context.now);
}

}  // namespace finality
