// GET /v1/payments/{id} · POST /v1/payments/{id}/query
#include "http/call.h"
#include "http/problem.h"
#include "http/resources.h"
#include "http/show.h"

namespace finality::http {
namespace {

void get_payment(Api& api, const ExchangePtr& exchange) {
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> Outcome {
    const auto id = parse_id<PaymentId>(exchange->parameter());
    if (!id) return std::unexpected(no_such("payment"));
    Shown shown = show_payment(reader, exchange->principal().merchant_id, *id, true);
    if (!shown) return std::unexpected(std::move(shown.error()));
    return json_response(200, std::move(*shown));
  });
}

void query_payment(Api& api, const ExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  const PaymentId payment = parse_id<PaymentId>(exchange->parameter()).value_or(PaymentId{});
  submit(api, exchange, {.command = QueryPayment{merchant, payment}, .merchant_id = merchant, .await_answer = true});
}

}  // namespace

void add_payments(Api& api) {
  add_route(api, "GET", "/v1/payments/{id}", Access::merchant, Role::viewer, get_payment);
  add_route(api, "POST", "/v1/payments/{id}/query", Access::merchant, Role::operator_, query_payment);
}

}  // namespace finality::http
