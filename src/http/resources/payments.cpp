// Endpoints for payments: GET /v1/payments/{id} · POST /v1/payments/{id}/query
#include <utility>

#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/idempotency.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

void get_payment(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<PaymentId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("payment"));
    return shown(query::show_payment(reader, exchange->principal().merchant_id, *id, true));
  });
}

static_assert(limits::kQueryPause <= std::chrono::seconds(info_of(RefusalCode::rate_limited).retry_after_seconds),
              "a client that waits for Retry-After is not refused again");

Refusal queried_just_now() {
  return {RefusalCode::rate_limited,
          "The payment was queried less than a second ago. Retry after the number of seconds in Retry-After.",
          {},
          {}};
}

// Limits the queries of a payment to one per limits::kQueryPause. A query starts a pause, during which further queries
// are refused with `rate_limited`. If the engine does not execute a query, the pause that it started ends.
void limit_rate(Api& api, PaymentId id, Submission& submission) {
  if (!api.payments_queried.put_if_absent(id, true, api.services.clock.now())) {
    submission.refuse_with = queried_just_now();
    return;
  }
  submission.on_reply = [&api, id](const Reply& reply) {
    if (reply.refusal || reply.replayed) api.payments_queried.erase(id);
  };
}

void query_payment(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const Principal& principal = exchange->principal();
  // Checks the Idempotency-Key before the pause starts, because a refused request must not start a pause. submit()
  // checks the key again.
  if (const auto key = idempotency_of(exchange->request(), principal); !key) return exchange->refuse(key.error());
  const PaymentId id = parse_id<PaymentId>(exchange->parameter()).value_or(PaymentId{});
  read_then(api, exchange, [&api, exchange, command = QueryPayment{principal.merchant_id, id}](Reader& reader) {
    const auto [merchant, payment] = command;
    Submission submission{.command = command, .merchant_id = merchant, .await_answer = true};
    if (exchange->principal().allowed && query::find_order_of(reader, merchant, payment))
      limit_rate(api, payment, submission);
    submit(api, exchange, std::move(submission));
  });
}

}  // namespace

void add_payments(Api& api) {
  add_route(api, "GET", "/v1/payments/{id}", Access::merchant, Role::viewer, get_payment);
  add_route(api, "POST", "/v1/payments/{id}/query", Access::merchant, Role::operator_, query_payment);
}

}  // namespace finality::http
