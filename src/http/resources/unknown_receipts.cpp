// Endpoints for unknown receipts, only for operators: GET /v1/unknown_receipts · GET /v1/unknown_receipts/{id}
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

void list_unknown_receipts(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const auto state = params.choice<UnknownReceiptState>("state");
  const Page page = params.page<UnknownReceiptId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange,
       [state, page](Reader& reader) { return shown(query::list_unknown_receipts(reader, state, page)); });
}

void get_unknown_receipt(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<UnknownReceiptId>(exchange->parameter()).value_or(UnknownReceiptId{});
    const auto found = query::find_unknown_receipt(reader, kPlatform, id);
    if (!found) return std::unexpected(found.error());
    return json_response(200, wire::unknown_receipt_json(*found));
  });
}

}  // namespace

void add_unknown_receipts(Api& api) {
  add_route(api, "GET", "/v1/unknown_receipts", Access::platform, Role::viewer, list_unknown_receipts,
            {.reads_query = true});
  add_route(api, "GET", "/v1/unknown_receipts/{id}", Access::platform, Role::viewer, get_unknown_receipt);
}

}  // namespace finality::http
