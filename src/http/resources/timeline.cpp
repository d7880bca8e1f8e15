// Endpoint for the timeline of an order: GET /v1/orders/{id}/timeline
#include "query/timeline.h"

#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

void get_timeline(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const std::size_t limit = params.limit(limits::kTimelineLimitMax, limits::kTimelineLimitMax);
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, limit](Reader& reader) -> HttpReply {
    const auto id = parse_id<OrderId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("order"));
    return shown(query::list_timeline(reader, exchange->principal().merchant_id, *id, limit));
  });
}

}  // namespace

void add_timeline(Api& api) {
  add_route(api, "GET", "/v1/orders/{id}/timeline", Access::merchant, Role::viewer, get_timeline);
}

}  // namespace finality::http
