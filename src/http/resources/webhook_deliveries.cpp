// Endpoints for webhook deliveries: GET /v1/webhook_deliveries?order= · GET /v1/webhook_deliveries/{id}
// POST /v1/webhook_deliveries/{id}/resend
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

void list_deliveries(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const auto order = params.id<OrderId>("order");
  const Page page = params.page<DeliveryId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, order, page](Reader& reader) {
    return shown(query::list_deliveries(reader, merchant, order, page));
  });
}

void get_delivery(Api& api, const HttpExchangePtr& exchange) {
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
  add_route(api, "GET", "/v1/webhook_deliveries", Access::merchant, Role::viewer, list_deliveries,
            {.reads_query = true});
  add_route(api, "GET", "/v1/webhook_deliveries/{id}", Access::merchant, Role::viewer, get_delivery);
  add_route(api, "POST", "/v1/webhook_deliveries/{id}/resend", Access::merchant, Role::operator_, resend_delivery);
}

}  // namespace finality::http
