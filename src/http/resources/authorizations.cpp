// Endpoints for authorizations: POST /v1/orders/{id}/authorizations · GET /v1/authorizations/{id}
// POST /v1/authorizations/{id}/query · POST /v1/authorizations/{id}/release · POST /v1/authorizations/{id}/captures
#include <functional>
#include <utility>

#include "http/input/fields.h"
#include "http/resources/query_attempt.h"
#include "http/resources/resources.h"
#include "http/resources/start_attempt.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

void get_authorization(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<AuthorizationId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("authorization"));
    return shown(query::show_authorization(reader, exchange->principal().merchant_id, *id));
  });
}

// Returns the id in the path. An invalid id is replaced by 0, which no authorization has. The engine refuses it after
// checking idempotency and role.
AuthorizationId authorization_of(const HttpExchange& exchange) {
  return parse_id<AuthorizationId>(exchange.parameter()).value_or(AuthorizationId{});
}

void query_authorization(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  const AuthorizationId id = authorization_of(*exchange);
  query_attempt(api, exchange, id, [merchant, id](OrderId order) { return QueryAuthorization{merchant, order, id}; });
}

// Reads the order of the command's authorization, which determines the rows to load, sets its id, and submits the
// command. An order that does not exist is left to the engine, which refuses. `archived_order`: see Submission.
template <class C>
void submit_for_order(Api& api, const HttpExchangePtr& exchange, C command,
                      std::function<Result<std::int64_t>(Reader&)> archived_order = nullptr) {
  read_then(
      api, exchange,
      [&api, exchange, command = std::move(command), archived = std::move(archived_order)](Reader& reader) mutable {
        const auto found = query::find_order_of(reader, command.merchant_id, command.authorization_id);
        if (query::is_unread(found)) return exchange->refuse(found.error());
        if (found) command.order_id = found->order.id;
        const MerchantId merchant = command.merchant_id;
        submit(api, exchange,
               {.command = std::move(command),
                .merchant_id = merchant,
                .await_answer = true,
                .archived_order = std::move(archived)});
      });
}

void release_authorization(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  submit_for_order(api, exchange,
                   ReleaseAuthorization{.merchant_id = exchange->principal().merchant_id,
                                        .order_id = {},
                                        .authorization_id = authorization_of(*exchange)});
}

void create_capture(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateCapture command{};
  command.merchant_id = exchange->principal().merchant_id;
  command.authorization_id = authorization_of(*exchange);
  command.merchant_capture_no = fields->text("merchant_capture_no", limits::kMerchantNumberMax);
  command.amount = fields->optional_amount("amount");
  if (fields->has("final")) command.is_final = fields->boolean("final");
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  // An archived order can be found only by the merchant_capture_no: the store keeps this natural key, but not the ids
  // of the order's authorizations.
  const Hash16 key = key_of_capture_no(command.merchant_id, command.merchant_capture_no);
  submit_for_order(api, exchange, std::move(command), [key](Reader& rows) { return rows.named(key); });
}

}  // namespace

void add_authorizations(Api& api) {
  add_route(api, "POST", "/v1/orders/{id}/authorizations", Access::merchant, Role::operator_,
            start_attempt<StartAuthorization>);
  add_route(api, "GET", "/v1/authorizations/{id}", Access::merchant, Role::viewer, get_authorization);
  add_route(api, "POST", "/v1/authorizations/{id}/query", Access::merchant, Role::operator_, query_authorization);
  add_route(api, "POST", "/v1/authorizations/{id}/release", Access::merchant, Role::operator_, release_authorization);
  add_route(api, "POST", "/v1/authorizations/{id}/captures", Access::merchant, Role::operator_, create_capture);
}

}  // namespace finality::http
