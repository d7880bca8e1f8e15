// GET /checkout/{token}: page that shows the payer the amount, the payment methods and the result. Anyone with the link
// can open the page, so it contains no private data of the shop or the payer.
#include <utility>

#include "http/pages/checkout_page.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/payer_link.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

struct Checkout {
  OrderAggregate aggregate;
  Merchant merchant;
};

// Returns the order that the token identifies and its merchant, or the refusal `not_found` if the token is invalid.
// Loads the order, which can have thousands of rows, only for a valid token.
std::expected<Checkout, Refusal> find_checkout(Reader& reader, std::string_view token) {
  const auto id = order_of_checkout_token(token);
  if (!id) return std::unexpected(query::no_such("checkout link"));
  auto merchant = query::find_merchant_of(reader, *id);
  if (!merchant) return std::unexpected(merchant.error());
  if (!is_checkout_token(token, *merchant, *id)) return std::unexpected(query::no_such("checkout link"));
  const ReadScope own_rows(reader, merchant->id);
  Result<std::optional<OrderAggregate>> found = reader.order(*id);
  if (!found) return std::unexpected(query::unreadable(found.error()));
  if (!*found) return std::unexpected(query::no_such("checkout link"));
  return Checkout{std::move(**found), std::move(*merchant)};
}

net::HttpResponse page_response(int status, std::string html) {
  net::HttpResponse response{.status = status, .headers = {}, .body = std::move(html)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", checkout_page_policy());
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "no-referrer");  // the URL of this page contains the secret token
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("X-Frame-Options", "DENY");  // for browsers that ignore frame-ancestors
  return response;
}

net::HttpResponse not_now(Language language) {
  net::HttpResponse response = page_response(503, unreadable_checkout_page(language));
  response.headers.add("Retry-After", "1");
  return response;
}

net::HttpResponse answer_to(Api& api, Reader& reader, std::string_view token, Language language) {
  const auto found = find_checkout(reader, token);
  if (query::is_unread(found)) return not_now(language);
  if (!found) return page_response(404, missing_checkout_page(language));
  return page_response(
      200, checkout_page(found->aggregate, found->merchant, api.services.policy, api.services.clock.now(), language));
}

// Answers with an HTML page, also for errors, because a payer cannot read problem+json.
void show_checkout(Api& api, const HttpExchangePtr& exchange) {
  const Language language = language_of(exchange->request().headers.get("Accept-Language"));
  const auto queued = queue_read(
      api, exchange,
      [&api, exchange, language](Reader& reader) {
        exchange->answer(answer_to(api, reader, exchange->parameter(), language));
      },
      exchange->request().closed);
  if (!queued) exchange->answer(not_now(language));
}

}  // namespace

void add_checkout(Api& api) { add_route(api, "GET", "/checkout/{token}", Access::open, Role::viewer, show_checkout); }

}  // namespace finality::http
