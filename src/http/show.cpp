#include "http/show.h"

#include <utility>

#include "http/problem.h"
#include "wire/link.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

// What the store answered, when it is there and the merchant's own.
template <class Row>
std::expected<Row, Refusal> own(Result<std::optional<Row>> found, std::string_view what,
                                bool (*is_own)(const Row&, MerchantId), MerchantId merchant) {
  if (!found) return std::unexpected(unreadable(found.error()));
  if (!*found || !is_own(**found, merchant)) return std::unexpected(no_such(what));
  return std::move(**found);
}

}  // namespace

std::expected<OrderAggregate, Refusal> find_order(Reader& reader, MerchantId merchant, OrderId id) {
  return own<OrderAggregate>(
      reader.order(id), "order",
      [](const OrderAggregate& row, MerchantId owner) { return row.order.merchant_id == owner; }, merchant);
}

std::expected<OrderAggregate, Refusal> find_order_of(Reader& reader, MerchantId merchant, ObjectRef child) {
  const std::string_view what = child.type == ObjectType::dispute_case ? std::string_view("case") : name_of(child.type);
  const Result<std::optional<OrderId>> order_id = reader.order_of(child);
  if (!order_id) return std::unexpected(unreadable(order_id.error()));
  if (!*order_id) return std::unexpected(no_such(what));
  std::expected<OrderAggregate, Refusal> found = find_order(reader, merchant, **order_id);
  if (!found && found.error().code == RefusalCode::not_found) return std::unexpected(no_such(what));
  return found;
}

std::expected<Merchant, Refusal> find_merchant(Reader& reader, MerchantId id) {
  return own<Merchant>(
      reader.merchant(id), "merchant", [](const Merchant& row, MerchantId owner) { return row.id == owner; }, id);
}

std::expected<Delivery, Refusal> find_delivery(Reader& reader, MerchantId merchant, DeliveryId id) {
  return own<Delivery>(
      reader.delivery(id), "webhook delivery",
      [](const Delivery& row, MerchantId owner) { return row.merchant_id == owner; }, merchant);
}

std::expected<WebhookEndpoint, Refusal> find_webhook_endpoint(Reader& reader, MerchantId merchant,
                                                              WebhookEndpointId id) {
  Result<std::vector<WebhookEndpoint>> all = reader.webhook_endpoints(merchant);
  if (!all) return std::unexpected(unreadable(all.error()));
  WebhookEndpoint* found = find_row(*all, id);
  if (found == nullptr || found->state == EndpointState::deleted) return std::unexpected(no_such("webhook endpoint"));
  return std::move(*found);
}

Shown show_order(Reader& reader, const Policy& policy, MerchantId merchant, OrderId id) {
  const auto aggregate = find_order(reader, merchant, id);
  if (!aggregate) return std::unexpected(aggregate.error());
  const auto owner = find_merchant(reader, merchant);
  if (!owner) return std::unexpected(owner.error());
  return wire::order_json(*aggregate, wire::checkout_url(policy.public_url, *owner, id));
}

Shown show_payment(Reader& reader, MerchantId merchant, PaymentId id, bool receipts) {
  const auto aggregate = find_order_of(reader, merchant, id);
  if (!aggregate) return std::unexpected(aggregate.error());
  const Payment* payment = find_row(aggregate->payments, id);
  if (payment == nullptr) return std::unexpected(no_such("payment"));
  return receipts ? wire::payment_json(*payment, aggregate->receipts) : wire::payment_json(*payment);
}

Shown show_refund(Reader& reader, MerchantId merchant, ObjectRef object) {
  if (object.type != ObjectType::refund && object.type != ObjectType::reversal)
    return std::unexpected(no_such("refund"));
  const auto aggregate = find_order_of(reader, merchant, object);
  if (!aggregate) return std::unexpected(aggregate.error());
  if (const Refund* refund = find_row(aggregate->refunds, RefundId{object.value})) return wire::refund_json(*refund);
  if (const Reversal* reversal = find_row(aggregate->reversals, ReversalId{object.value}))
    return wire::reversal_json(*reversal);
  return std::unexpected(no_such("refund"));
}

Shown show_object(Reader& reader, const Policy& policy, MerchantId merchant, ObjectRef object) {
  switch (object.type) {
    case ObjectType::order:
      return show_order(reader, policy, merchant, OrderId{object.value});
    case ObjectType::payment:
      return show_payment(reader, merchant, PaymentId{object.value}, false);
    case ObjectType::refund:
      return show_refund(reader, merchant, object);
    case ObjectType::delivery: {
      const auto delivery = find_delivery(reader, merchant, DeliveryId{object.value});
      if (!delivery) return std::unexpected(delivery.error());
      return wire::delivery_json(*delivery);
    }
    case ObjectType::webhook_endpoint: {
      const auto endpoint = find_webhook_endpoint(reader, merchant, WebhookEndpointId{object.value});
      if (!endpoint) return std::unexpected(endpoint.error());
      return wire::webhook_endpoint_json(*endpoint, true);
    }
    default:
      return std::unexpected(no_such("object"));
  }
}

}  // namespace finality::http
