// Endpoints for differences between statements and the books: GET /v1/differences · GET /v1/differences/{id}
// Operators see all differences, merchants their own.
#include <utility>

#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/statements.h"

namespace finality::http {
namespace {

void list_differences(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<DifferenceId>();
  auto [from, to] = params.date_range();
  DifferenceFilter filter{.merchant_id = exchange->principal().only_merchant(),
                          .channel_account_id = params.id<ChannelAccountId>("channel_account"),
                          .from = std::move(from),
                          .to = std::move(to),
                          .difference_class = params.choice<DifferenceClass>("class"),
                          .state = params.choice<DifferenceState>("state")};
  if (const auto date = params.date("date")) filter.from = filter.to = date;
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [filter = std::move(filter), page](Reader& reader) {
    return shown(query::list_differences(reader, filter, page));
  });
}

void get_difference(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<DifferenceId>(exchange->parameter()).value_or(DifferenceId{});
    return shown(query::show_difference(reader, exchange->principal().only_merchant(), id));
  });
}

}  // namespace

void add_differences(Api& api) {
  add_route(api, "GET", "/v1/differences", Access::shared, Role::viewer, list_differences, {.reads_query = true});
  add_route(api, "GET", "/v1/differences/{id}", Access::shared, Role::viewer, get_difference);
}

}  // namespace finality::http
