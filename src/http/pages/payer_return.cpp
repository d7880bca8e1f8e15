// GET /return/{token}: return of the payer from the channel (同步回调). A return does not prove a payment or a hold, so
// the server queries the channel and then redirects the browser to the shop's page with the order's id and state. URL
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
  ObjectRef attempt;           // the payment or authorization
  bool is_waited_for = false;  // its result, or the payer's action, is outstanding
};

template <class Row>
bool is_waited_for(const Row& row) {
  const auto due_effect = machine_of(row.state).due_effect(row.state);
  using Effect = std::remove_const_t<decltype(due_effect)>;
  return due_effect == Effect::query || due_effect == Effect::query_or_close;
}

// Returns whether the order has the attempt, and stores in `found` whether its result is outstanding.
template <class Row>
bool find_attempt(const std::vector<Row>& rows, Return& found) {
  const decltype(Row::id) id{found.attempt.value};
  const Row* row = id.type == found.attempt.type ? find_row(rows, id) : nullptr;
  if (row != nullptr) found.is_waited_for = is_waited_for(*row);
  return row != nullptr;
}

// Returns the payment or authorization that the token identifies and its order. Returns the refusal `not_found` if the
// token is invalid or the order has no return_url. Loads the order only for a valid token.
std::expected<Return, Refusal> find_return(Reader& reader, std::string_view token) {
  const auto id = attempt_of_return_token(token);
  if (!id) return std::unexpected(query::no_such("return link"));
  const Result<std::optional<OrderId>> order_id = reader.order_of(*id);
  if (!order_id) return std::unexpected(query::unreadable(order_id.error()));
  if (!*order_id) return std::unexpected(query::no_such("return link"));
  const auto merchant = query::find_merchant_of(reader, **order_id);
  if (query::is_unread(merchant)) return std::unexpected(merchant.error());
  if (!merchant || !is_return_token(token, *merchant, *id)) return std::unexpected(query::no_such("return link"));
  const ReadScope own_rows(reader, merchant->id);
  const Result<std::optional<OrderAggregate>> found = reader.order(**order_id);
  if (!found) return std::unexpected(query::unreadable(found.error()));
  if (!*found) return std::unexpected(query::no_such("return link"));
  const OrderAggregate& aggregate = **found;
  Return returned{aggregate.order, *id};
  const bool is_known = find_attempt(aggregate.payments, returned) || find_attempt(aggregate.authorizations, returned);
  if (!is_known || !aggregate.order.return_url) return std::unexpected(query::no_such("return link"));
  return returned;
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

bool should_query(Api& api, const Return& found) {
  if (!found.is_waited_for) return false;
  const Time now = api.services.clock.now();
  if (api.returns_queried.get(found.attempt, now)) return false;
  api.returns_queried.put(found.attempt, true, now);
  return true;
}

Command query_of(const Return& found) {
  const MerchantId merchant = found.order.merchant_id;
  if (found.attempt.type == ObjectType::payment) return QueryPayment{merchant, PaymentId{found.attempt.value}};
  return QueryAuthorization{merchant, found.order.id, AuthorizationId{found.attempt.value}};
}

// Queries the channel. Redirects the browser when the result is recorded, or after limits::kAnswerWait.
void query_first(Api& api, const HttpExchangePtr& exchange, const Return& found) {
  Request request{};
  request.command = query_of(found);
  request.merchant_id = found.order.merchant_id;
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
    if (!should_query(api, *found)) return exchange->answer(redirect(found->order));
    query_first(api, exchange, *found);
  });
}

}  // namespace

void add_payer_return(Api& api) { add_route(api, "GET", "/return/{token}", Access::open, Role::viewer, take_return); }

}  // namespace finality::http
