// Endpoint for the timeline of an order: GET /v1/orders/{id}/timeline
#include "query/timeline.h"

#include <utility>

#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

constexpr std::size_t kItemIdMax = 64;  // characters

// Reads the id of an item from the parameter `name`.
std::optional<query::TimelinePlace> read_place(QueryParams& params, std::string_view name) {
  const auto text = params.text(name, kItemIdMax);
  const auto place = text ? query::parse_timeline_place(*text) : std::nullopt;
  if (text && !place) params.refuse(name, "must be the id of an item of the timeline, which begins with tli_");
  return place;
}

void get_timeline(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  query::TimelinePage page{.audience = exchange->principal().audience(),
                           .limit = params.limit(limits::kTimelineLimitMax, limits::kTimelineLimitMax),
                           .after = read_place(params, "starting_after"),
                           .before = read_place(params, "ending_before"),
                           .closed = exchange->request().closed};
  if (page.after && page.before) params.refuse("ending_before", "must not be combined with starting_after");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, page = std::move(page)](Reader& reader) -> HttpReply {
    const auto id = parse_id<OrderId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("order"));
    return shown(query::list_timeline(reader, exchange->principal().merchant_id, *id, page));
  });
}

}  // namespace

void add_timeline(Api& api) {
  add_route(api, "GET", "/v1/orders/{id}/timeline", Access::merchant, Role::viewer, get_timeline,
            {.reads_query = true});
}

}  // namespace finality::http
