// Endpoints for webhook endpoints: POST and GET /v1/webhook_endpoints · GET and DELETE /v1/webhook_endpoints/{id}
// POST /v1/webhook_endpoints/{id}/rotate
#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/net/http_url.h"
#include "http/input/fields.h"
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

constexpr std::string_view kTypes[] = {
    "order.authorized",       "order.succeeded",   "order.failed",    "order.closed",     "authorization.expiring",
    "authorization.released", "capture.succeeded", "capture.failed",  "payment.reversed", "refund.succeeded",
    "refund.failed",          "refund.external",   "refund.returned", "case.opened"};

Secret draw_webhook_secret() {
  constexpr std::size_t kRandomBytes = 32;
  return Secret("whsec_" + to_base64(random_bytes(kRandomBytes)));
}

void create_endpoint(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateWebhookEndpoint command{.merchant_id = merchant, .url = {}, .types = {}, .acknowledge = {}, .secret = {}};
  command.url = fields->target("url", api.services.policy.allow_private);
  for (const std::string& type : fields->optional_choices("types", kTypes, limits::kWebhookTypesMax))
    command.types += command.types.empty() ? type : ' ' + type;
  command.acknowledge = fields->optional_choice<Acknowledge>("acknowledge").value_or(Acknowledge::status);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  command.url = net::normalized(*net::parse_http_url(command.url));
  command.secret = draw_webhook_secret();
  submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
}

void rotate_secret(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  const auto id = parse_id<WebhookEndpointId>(exchange->parameter()).value_or(WebhookEndpointId{});
  submit(api, exchange, {.command = RotateWebhookSecret{merchant, id, draw_webhook_secret()}, .merchant_id = merchant});
}

void delete_endpoint(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  const auto id = parse_id<WebhookEndpointId>(exchange->parameter()).value_or(WebhookEndpointId{});
  submit(api, exchange, {.command = DeleteWebhookEndpoint{merchant, id}, .merchant_id = merchant});
}

void get_endpoint(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<WebhookEndpointId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("webhook endpoint"));
    const auto endpoint = query::find_webhook_endpoint(reader, exchange->principal().merchant_id, *id);
    if (!endpoint) return std::unexpected(endpoint.error());
    return json_response(200, wire::webhook_endpoint_json(*endpoint, false));
  });
}

void list_endpoints(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<WebhookEndpointId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, page](Reader& reader) {
    return shown(query::list_webhook_endpoints(reader, merchant, page));
  });
}

}  // namespace

void add_webhook_endpoints(Api& api) {
  add_route(api, "POST", "/v1/webhook_endpoints", Access::merchant, Role::operator_, create_endpoint);
  add_route(api, "GET", "/v1/webhook_endpoints", Access::merchant, Role::viewer, list_endpoints, {.reads_query = true});
  add_route(api, "GET", "/v1/webhook_endpoints/{id}", Access::merchant, Role::viewer, get_endpoint);
  add_route(api, "DELETE", "/v1/webhook_endpoints/{id}", Access::merchant, Role::operator_, delete_endpoint);
  add_route(api, "POST", "/v1/webhook_endpoints/{id}/rotate", Access::merchant, Role::operator_, rotate_secret);
}

}  // namespace finality::http
