// GET /v1/webhook_deliveries?order= · GET /v1/webhook_deliveries/{id} · POST /v1/webhook_deliveries/{id}/resend
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

HttpReply show_deliveries(Reader& reader, MerchantId merchant, std::optional<OrderId> order, const Page& page) {
  if (order) {
    const auto found = query::find_order(reader, merchant, *order);
    if (!found) return std::unexpected(found.error());
  }
  const Result<Listed<Delivery>> listed = reader.deliveries(merchant, order, page);
  if (!listed) return std::unexpected(query::unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Delivery& delivery : listed->rows) items.push_back(wire::delivery_json(delivery));
  return json_response(200, wire::list_json("/v1/webhook_deliveries", listed->has_more, items));
}

void list_deliveries(Api& api, const HttpExchangePtr& exchange) {
  QueryParams query(exchange->request().query());
  const auto order = query.id<OrderId>("order");
  const Page page = query.page<DeliveryId>();
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, order, page](Reader& reader) {
    return show_deliveries(reader, merchant, order, page);
  });
}

void get_delivery(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<DeliveryId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("webhook delivery"));
    const auto delivery = query::find_delivery(reader, exchange->principal().merchant_id, *id);
    if (!delivery) return std::unexpected(delivery.error());
    return json_response(200, wire::delivery_json(*delivery));
  });
}

void resend_delivery(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  const DeliveryId delivery = parse_id<DeliveryId>(exchange->parameter()).value_or(DeliveryId{});
  submit(api, exchange, {.command = ResendDelivery{merchant, delivery}, .merchant_id = merchant});
}

}  // namespace

void add_webhook_deliveries(Api& api) {
  add_route(api, "GET", "/v1/webhook_deliveries", Access::merchant, Role::viewer, list_deliveries);
  add_route(api, "GET", "/v1/webhook_deliveries/{id}", Access::merchant, Role::viewer, get_delivery);
  add_route(api, "POST", "/v1/webhook_deliveries/{id}/resend", Access::merchant, Role::operator_, resend_delivery);
}

}  // namespace finality::http
