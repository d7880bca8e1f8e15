// GET /v1/events?object=
#include "http/call.h"
#include "http/page.h"
#include "http/problem.h"
#include "http/resources.h"
#include "http/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

bool is_part_of_an_order(ObjectType type) {
  return type == ObjectType::payment || type == ObjectType::refund || type == ObjectType::reversal ||
         type == ObjectType::dispute_case;
}

// The aggregate in whose trace the object's events stand, once it is sure that it is the merchant's.
std::expected<std::int64_t, Refusal> root_of(Reader& reader, MerchantId merchant, ObjectRef object) {
  if (is_part_of_an_order(object.type)) {
    const auto order = find_order_of(reader, merchant, object);
    if (!order) return std::unexpected(order.error());
    return order->order.id.value;
  }
  if (object.type == ObjectType::order) {
    const auto order = find_order(reader, merchant, OrderId{object.value});
    if (!order) return std::unexpected(order.error());
  } else if (object.type == ObjectType::delivery) {
    const auto delivery = find_delivery(reader, merchant, DeliveryId{object.value});
    if (!delivery) return std::unexpected(delivery.error());
  } else {
    const auto endpoint = find_webhook_endpoint(reader, merchant, WebhookEndpointId{object.value});
    if (!endpoint) return std::unexpected(endpoint.error());
  }
  return object.value;
}

Outcome show_events(Reader& reader, MerchantId merchant, ObjectRef object, const Page& page) {
  const auto root = root_of(reader, merchant, object);
  if (!root) return std::unexpected(root.error());
  const Result<Listed<Event>> listed = reader.events(*root, object, page, false);
  if (!listed) return std::unexpected(unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Event& event : listed->rows) items.push_back(wire::event_json(event));
  return json_response(200, wire::list_json("/v1/events", listed->has_more, items));
}

bool has_events(ObjectType type) {
  return is_part_of_an_order(type) || type == ObjectType::order || type == ObjectType::delivery ||
         type == ObjectType::webhook_endpoint;
}

void list_events(Api& api, const ExchangePtr& exchange) {
  constexpr std::string_view kRule =
      "must be the id of an order, a payment, a refund, a case, a webhook delivery or a webhook endpoint";
  Query query(exchange->request().query());
  const ObjectRef object = query.reference("object").value_or(ObjectRef(ObjectType::answer, 0));
  if (!has_events(object.type)) query.refuse("object", kRule);
  const Page page = query.page<EventId>();
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, object, page](Reader& reader) {
    return show_events(reader, merchant, object, page);
  });
}

}  // namespace

void add_events(Api& api) { add_route(api, "GET", "/v1/events", Access::merchant, Role::viewer, list_events); }

}  // namespace finality::http
