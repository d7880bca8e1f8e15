// GET /return/{token}: return of the payer from the channel (同步回调). A return does not prove a payment, so the
// server queries the channel and then redirects the browser to the shop's page with the order's id and state. URL
// parameters added by the channel are ignored, because they are not authenticated.
#include "http/pages/shop_page.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/machines.h"
#include "model/payer_link.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

struct Return {
  Order order;
  Payment payment;
};

// Returns the payment that the token identifies and its order. Returns the refusal `not_found` if the token is invalid
// or the order has no return_url.
std::expected<Return, Refusal> find_return(Reader& reader, std::string_view token) {
  const auto id = payment_of_return_token(token);
  if (!id) return std::unexpected(query::no_such("return link"));
  const Result<std::optional<OrderId>> order_id = reader.order_of(*id);
  if (!order_id) return std::unexpected(query::unreadable(order_id.error()));
  if (!*order_id) return std::unexpected(query::no_such("return link"));
  const Result<std::optional<OrderAggregate>> found = reader.order(**order_id);
  if (!found) return std::unexpected(query::unreadable(found.error()));
  if (!*found) return std::unexpected(query::no_such("return link"));
  const OrderAggregate& aggregate = **found;
  const auto merchant = query::find_merchant(reader, aggregate.order.merchant_id);
  if (!merchant) return std::unexpected(merchant.error());
  const Payment* payment = find_row(aggregate.payments, *id);
  if (payment == nullptr || !aggregate.order.return_url || !is_return_token(token, *merchant, *id))
    return std::unexpected(query::no_such("return link"));
  return Return{aggregate.order, *payment};
}

net::HttpResponse redirect(const Order& order) {
  net::HttpResponse response{.status = 303};
  response.headers.add("Location", shop_page_of(order));
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "no-referrer");  // the URL of this request contains the secret token
  return response;
}

// Redirects the browser to the shop's page, with the current state of the order in the URL.
void send_on(Api& api, const HttpExchangePtr& exchange) {
  if (exchange->answered()) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto found = find_return(reader, exchange->parameter());
    if (!found) return std::unexpected(found.error());
    return redirect(found->order);
  });
}

bool should_query(Api& api, const Payment& payment) {
  const PaymentEffect due_effect = payment_machine.due_effect(payment.state);
  if (due_effect != PaymentEffect::query && due_effect != PaymentEffect::query_or_close) return false;
  const Time now = api.services.clock.now();
  if (api.returns_queried.get(payment.id, now)) return false;
  api.returns_queried.put(payment.id, true, now);
  return true;
}

// Queries the channel. Redirects the browser when the result is recorded, or after limits::kAnswerWait.
void query_first(Api& api, const HttpExchangePtr& exchange, const Payment& payment) {
  Request request{};
  request.command = QueryPayment{payment.merchant_id, payment.id};
  request.merchant_id = payment.merchant_id;
  request.cause = {.kind = CauseKind::query, .trigger = ReturnedPayer{exchange->request_id()}};
  request.request_id = exchange->request_id();
  request.await_answer = true;
  request.reply = [&api, exchange](const Reply&) { send_on(api, exchange); };
  request.committed = [weak = api.weak_from_this(), exchange, &io = api.services.io](ObjectRef, int) {
    io.after(limits::kAnswerWait, [weak, exchange] {
      if (const std::shared_ptr<Api> api = weak.lock()) send_on(*api, exchange);
    });
  };
  api.services.engine.submit(std::move(request));
}

void take_return(Api& api, const HttpExchangePtr& exchange) {
  read_then(api, exchange, [&api, exchange](Reader& reader) {
    const auto found = find_return(reader, exchange->parameter());
    if (!found) return exchange->refuse(found.error());
    if (!should_query(api, found->payment)) return exchange->answer(redirect(found->order));
    query_first(api, exchange, found->payment);
  });
}

}  // namespace

void add_payer_return(Api& api) { add_route(api, "GET", "/return/{token}", Access::open, Role::viewer, take_return); }

}  // namespace finality::http
