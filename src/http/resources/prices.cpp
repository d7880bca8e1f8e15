// Endpoints for prices: PUT /v1/prices/{name} · GET /v1/prices/{name} · GET /v1/prices
#include <utility>

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/input/text_rules.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

Refusal bad_name() {
  return {RefusalCode::invalid_request, "name must be " + std::string(kPriceNameRule) + '.', "name", {}};
}

void set_price(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  SetPrice price{.merchant_id = merchant, .name = std::string(exchange->parameter()), .currency = {}};
  if (!is_price_name(price.name)) return exchange->refuse(bad_name());
  price.amount = fields->amount("amount");
  price.currency = fields->currency("currency");
  price.note = fields->optional_text("note", limits::kInfoMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  submit(api, exchange, {.command = std::move(price), .merchant_id = merchant});
}

void get_price(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const MerchantId merchant = exchange->principal().merchant_id;
    const Result<std::int64_t> id = reader.named(key_of_price(merchant, exchange->parameter()));
    if (!id) return std::unexpected(query::unreadable(id.error()));
    const auto price = query::find_price(reader, merchant, PriceId{*id});
    if (!price) return std::unexpected(price.error());
    return json_response(200, wire::price_json(*price));
  });
}

void list_prices(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<PriceId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, page](Reader& reader) {
    return shown(query::list_prices(reader, merchant, page));
  });
}

}  // namespace

void add_prices(Api& api) {
  add_route(api, "PUT", "/v1/prices/{name}", Access::merchant, Role::admin, set_price);
  add_route(api, "GET", "/v1/prices/{name}", Access::merchant, Role::viewer, get_price);
  add_route(api, "GET", "/v1/prices", Access::merchant, Role::viewer, list_prices, {.reads_query = true});
}

}  // namespace finality::http
