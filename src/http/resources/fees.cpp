// Endpoints for fees per channel: PUT /v1/fees/{channel} · GET /v1/fees/{channel} · GET /v1/fees
#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/usable_channels.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

SetFee read_fee(Fields& fields, MerchantId merchant, std::string_view channel) {
  SetFee fee{.merchant_id = merchant, .channel = std::string(channel)};
  fee.basis_points = fields.integer("basis_points", 0, limits::kBasisPointsMax);
  fee.fixed = fields.amount("fixed", 0);
  fee.minimum = fields.optional_amount("minimum", 0);
  fee.maximum = fields.optional_amount("maximum", 0);
  if (fee.minimum && fee.maximum && *fee.minimum > *fee.maximum)
    fields.refuse("minimum", "must not be larger than maximum");
  fee.refundable = fields.boolean("refundable");
  return fee;
}

void set_fee(Api& api, const HttpExchangePtr& exchange) {
  const Principal& principal = exchange->principal();
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  SetFee fee = read_fee(*fields, principal.merchant_id, exchange->parameter());
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  const Policy& policy = api.services.policy;
  const bool is_known = policy.channels.contains(fee.channel) || !channels_of_kind(policy, fee.channel).empty();
  if (principal.allowed && !is_known) return exchange->refuse(query::no_such("channel"));
  submit(api, exchange, {.command = std::move(fee), .merchant_id = principal.merchant_id});
}

void get_fee(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const Result<std::vector<Fee>> all = reader.fees(exchange->principal().merchant_id);
    if (!all) return std::unexpected(query::unreadable(all.error()));
    const auto fee = std::ranges::find(*all, exchange->parameter(), &Fee::channel);
    if (fee == all->end()) return std::unexpected(query::no_such("fee"));
    return json_response(200, wire::fee_json(*fee));
  });
}

void list_fees(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<FeeId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, page](Reader& reader) {
    return shown(query::list_fees(reader, merchant, page));
  });
}

}  // namespace

void add_fees(Api& api) {
  add_route(api, "PUT", "/v1/fees/{channel}", Access::operators, Role::admin, set_fee);
  add_route(api, "GET", "/v1/fees/{channel}", Access::merchant, Role::viewer, get_fee);
  add_route(api, "GET", "/v1/fees", Access::merchant, Role::viewer, list_fees, {.reads_query = true});
}

}  // namespace finality::http
