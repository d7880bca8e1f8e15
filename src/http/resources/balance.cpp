// Endpoint for the merchant's balance at the platform: GET /v1/balance
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "query/lists.h"

namespace finality::http {
namespace {

void get_balance(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [merchant = exchange->principal().merchant_id](Reader& reader) {
    return shown(query::list_balances(reader, merchant));
  });
}

}  // namespace

void add_balance(Api& api) { add_route(api, "GET", "/v1/balance", Access::merchant, Role::viewer, get_balance); }

}  // namespace finality::http
