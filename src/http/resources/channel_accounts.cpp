// Endpoints for channel accounts: GET /v1/channel_accounts · GET /v1/channel_accounts/{id}
// Operators see all channel accounts, merchants only the channel accounts that may process their payments.

#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

bool is_operator(const Principal& principal) { return principal.role != Role::merchant; }

bool may_see(const Principal& principal, const ChannelAccount& account) {
  return is_operator(principal) || account.serves(principal.merchant_id);
}

void get_channel_account(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const Principal& principal = exchange->principal();
    const auto id = parse_id<ChannelAccountId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("channel account"));
    const Result<std::optional<ChannelAccount>> found = reader.channel_account(*id);
    if (!found) return std::unexpected(query::unreadable(found.error()));
    if (!*found || !may_see(principal, **found)) return std::unexpected(query::no_such("channel account"));
    return json_response(200, wire::channel_account_json(**found));
  });
}

void list_channel_accounts(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<ChannelAccountId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, page](Reader& reader) {
    const Principal& principal = exchange->principal();
    const std::optional<MerchantId> merchant =
        is_operator(principal) ? std::nullopt : std::optional(principal.merchant_id);
    return shown(query::list_channel_accounts(reader, merchant, page));
  });
}

}  // namespace

void add_channel_accounts(Api& api) {
  add_route(api, "GET", "/v1/channel_accounts", Access::shared, Role::viewer, list_channel_accounts,
            {.reads_query = true});
  add_route(api, "GET", "/v1/channel_accounts/{id}", Access::shared, Role::viewer, get_channel_account);
}

}  // namespace finality::http
