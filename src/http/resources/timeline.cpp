// GET /v1/orders/{id}/timeline
#include "query/timeline.h"

#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

void get_timeline(Api& api, const HttpExchangePtr& exchange) {
  QueryParams query(exchange->request().query());
  const std::size_t limit = query.limit(limits::kTimelineLimitMax, limits::kTimelineLimitMax);
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, limit](Reader& reader) -> HttpReply {
    const auto id = parse_id<OrderId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("order"));
    const auto listed = query::read_timeline(reader, exchange->principal().merchant_id, *id, limit);
    if (!listed) return std::unexpected(listed.error());
    std::vector<std::string> items;
    for (const query::TimelineItem& item : listed->rows) items.push_back(item.json);
    return json_response(200, wire::list_json("/v1/orders/" + to_text(*id) + "/timeline", listed->has_more, items));
  });
}

}  // namespace

void add_timeline(Api& api) {
  add_route(api, "GET", "/v1/orders/{id}/timeline", Access::merchant, Role::viewer, get_timeline);
}

}  // namespace finality::http
