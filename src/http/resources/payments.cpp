// Endpoints for payments: GET /v1/payments/{id} · POST /v1/payments/{id}/query
#include "http/resources/query_attempt.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

void get_payment(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<PaymentId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("payment"));
    return shown(query::show_payment(reader, exchange->principal().merchant_id, *id, true));
  });
}

void query_payment(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  const PaymentId id = parse_id<PaymentId>(exchange->parameter()).value_or(PaymentId{});
  query_attempt(api, exchange, id, [merchant, id](OrderId) { return QueryPayment{merchant, id}; });
}

}  // namespace

void add_payments(Api& api) {
  add_route(api, "GET", "/v1/payments/{id}", Access::merchant, Role::viewer, get_payment);
  add_route(api, "POST", "/v1/payments/{id}/query", Access::merchant, Role::operator_, query_payment);
}

}  // namespace finality::http
