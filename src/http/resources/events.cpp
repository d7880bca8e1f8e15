// Endpoint that lists the events of an object: GET /v1/events?object=
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"

namespace finality::http {
namespace {

void list_events(Api& api, const HttpExchangePtr& exchange) {
  constexpr std::string_view kRule =
      "must be the id of an order, a payment, a refund, a case, an account, a transfer, a hold, a price, a fee, an "
      "adjustment, a webhook delivery, a webhook endpoint or an unknown receipt";
  QueryParams params(exchange->request().query());
  const ObjectRef object = params.reference("object").value_or(ObjectRef(ObjectType::idempotency_record, 0));
  if (!query::has_events(object.type)) params.refuse("object", kRule);
  const Page page = params.page<EventId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, object, page](Reader& reader) {
    return shown(query::list_events(reader, merchant, object, page));
  });
}

}  // namespace

void add_events(Api& api) {
  add_route(api, "GET", "/v1/events", Access::merchant, Role::viewer, list_events, {.reads_query = true});
}

}  // namespace finality::http
