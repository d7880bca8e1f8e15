// GET /checkout/{token}: page that shows the payer the amount, the payment methods and the result.
// POST /checkout/{token}: starts a payment with the method that the payer chose on the page.
// GET /checkout/{token}/logo: the logo of the merchant.
// Anyone with the link can open the page and pay, so it contains no private data of the shop or the payer, and it
// allows nothing else than a payment of this order.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/image.h"
#include "base/net/http_url.h"
#include "http/input/query_params.h"
#include "http/pages/checkout_page.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/payer_link.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

/// An order whose link was verified, and its merchant.
struct Link {
  OrderId order;
  Merchant merchant;
};

struct Checkout {
  OrderAggregate aggregate;
  Merchant merchant;
};

/// What the form of the page sends.
struct Choice {
  std::string channel;
  std::string method;
  std::int64_t attempts = 0;
};

// Returns the order that the token identifies, or the refusal `not_found` if the token is invalid.
std::expected<Link, Refusal> find_link(Reader& reader, std::string_view token) {
  const auto id = order_of_checkout_token(token);
  if (!id) return std::unexpected(query::no_such("checkout link"));
  auto merchant = query::find_merchant_of(reader, *id);
  if (!merchant) return std::unexpected(merchant.error());
  if (!is_checkout_token(token, *merchant, *id)) return std::unexpected(query::no_such("checkout link"));
  return Link{*id, std::move(*merchant)};
}

// Loads the order, which can have thousands of rows, only for a valid token.
std::expected<Checkout, Refusal> find_checkout(Reader& reader, std::string_view token) {
  auto link = find_link(reader, token);
  if (!link) return std::unexpected(link.error());
  const ReadScope own_rows(reader, link->merchant.id);
  Result<std::optional<OrderAggregate>> found = reader.order(link->order);
  if (!found) return std::unexpected(query::unreadable(found.error()));
  if (!*found) return std::unexpected(query::no_such("checkout link"));
  return Checkout{std::move(**found), std::move(link->merchant)};
}

Language language_for(const HttpExchange& exchange) {
  return language_of(exchange.request().headers.get("Accept-Language"));
}

// The referrer policy keeps the secret token of the URL from other sites. Unlike `no-referrer`, it lets browsers state
// the page's origin when they send its form.
net::HttpResponse page_response(int status, CheckoutHtml page) {
  net::HttpResponse response{.status = status, .headers = {}, .body = std::move(page.html)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", std::move(page.policy));
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "same-origin");
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("X-Frame-Options", "DENY");  // for browsers that ignore frame-ancestors
  return response;
}

net::HttpResponse not_now(Language language) {
  net::HttpResponse response = page_response(503, unreadable_checkout_page(language));
  response.headers.add("Retry-After", "1");
  return response;
}

std::vector<OfferedMethod> methods_of(const Api& api, const OrderAggregate& aggregate) {
  if (!can_start_payment(aggregate, api.services.clock.now())) return {};
  return payable_methods(aggregate.order, api.services.policy, api.services.is_down);
}

net::HttpResponse answer_to(Api& api, Reader& reader, const HttpExchange& exchange) {
  const Language language = language_for(exchange);
  const auto found = find_checkout(reader, exchange.parameter());
  if (query::is_unread(found)) return not_now(language);
  if (!found) return page_response(404, missing_checkout_page(language));
  const Device device = device_of(exchange.request().headers);
  return page_response(
      200, checkout_page(found->aggregate, found->merchant, api.services.policy, api.services.clock.now(), language,
                         methods_for(device, methods_of(api, found->aggregate))));
}

// Runs `work` on a reader thread. Answers with an HTML page, also for errors, because a payer cannot read problem+json.
void read_for_payer(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work,
                    ReadTask::Closed closed) {
  const auto queued = queue_read(api, exchange, std::move(work), std::move(closed));
  if (!queued) exchange->answer(not_now(language_for(*exchange)));
}

void show_checkout(Api& api, const HttpExchangePtr& exchange) {
  read_for_payer(
      api, exchange, [&api, exchange](Reader& reader) { exchange->answer(answer_to(api, reader, *exchange)); },
      exchange->request().closed);
}

// Returns the host and port of an origin ("https://pay.example:8443").
std::string_view authority_of(std::string_view origin) {
  const std::size_t at = origin.find("://");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = origin.substr(at + 3);
  return rest.substr(0, rest.find('/'));
}

// Whether the page itself sent the form. Browsers state this in Sec-Fetch-Site (over https), or the origin of the page.
// Behind a proxy, the host of the request can be another one than that of the public URL.
bool is_from_the_page(const net::HttpRequest& request, const Policy& policy) {
  if (const std::string_view site = request.headers.get("Sec-Fetch-Site"); !site.empty()) return site == "same-origin";
  const std::string_view from = authority_of(request.headers.get("Origin"));
  return !from.empty() && (net::equals_ignoring_case(from, request.headers.get("Host")) ||
                           net::equals_ignoring_case(from, authority_of(policy.public_url)));
}

// Reads the form; empty if it is malformed.
std::optional<Choice> read_choice(const net::HttpRequest& request) {
  const auto pairs = parse_query(request.body);
  if (!pairs) return std::nullopt;
  const auto value_of = [&](std::string_view name) {
    const auto at = std::ranges::find(*pairs, name, &QueryPair::name);
    return at == pairs->end() ? std::string() : at->value;
  };
  const std::string method = value_of("method");
  const std::string attempts = value_of("attempts");
  const std::size_t slash = method.find('/');
  Choice choice;
  const char* const end = attempts.data() + attempts.size();
  const auto [read_until, error] = std::from_chars(attempts.data(), end, choice.attempts);
  if (slash == std::string::npos || error != std::errc{} || read_until != end) return std::nullopt;
  choice.channel = method.substr(0, slash);
  choice.method = method.substr(slash + 1);
  return choice;
}

// Sends the browser to the page, which shows the current state. The location is relative, because the browser can use
// another host or path than the server.
net::HttpResponse back_to_the_page(const HttpExchange& exchange) {
  net::HttpResponse response{.status = 303};
  response.headers.add("Location", std::string(exchange.parameter()));
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "same-origin");
  return response;
}

PaymentFields fields_of(const OfferedMethod& offer, const HttpExchange& exchange) {
  PaymentFields fields{.channel = offer.channel, .method = offer.method};
  if (offer.needs_client_ip)
    fields.payer = boost::json::serialize(boost::json::object{{"client_ip", exchange.source_ip().value_or("")}});
  return fields;
}

template <class Start>
Command start_of(const Order& order, PaymentFields fields, std::int64_t attempts_seen) {
  return Start{.merchant_id = order.merchant_id,
               .order_id = order.id,
               .fields = std::move(fields),
               .currency = order.currency,
               .attempts_seen = attempts_seen};
}

// Starts the payment or authorization. Answers when the channel has replied, or after limits::kAnswerWait.
void start(Api& api, const HttpExchangePtr& exchange, const Order& order, PaymentFields fields,
           std::int64_t attempts_seen) {
  Request request{};
  request.command = order.capture_method == CaptureMethod::manual
                        ? start_of<StartAuthorization>(order, std::move(fields), attempts_seen)
                        : start_of<StartPayment>(order, std::move(fields), attempts_seen);
  request.merchant_id = order.merchant_id;
  request.cause = {.kind = CauseKind::api, .trigger = ChoosingPayer{exchange->request_id()}};
  request.request_id = exchange->request_id();
  request.await_answer = true;
  request.reply = [exchange](const Reply& reply) {
    exchange->answer(should_retry(reply) ? not_now(language_for(*exchange)) : back_to_the_page(*exchange));
  };
  request.committed = [exchange, &io = api.services.io](ObjectRef, int) {
    io.after(limits::kAnswerWait, [exchange] { exchange->answer(back_to_the_page(*exchange)); });
  };
  api.services.engine.submit(std::move(request));
}

// Starts nothing if the page does not offer the method any more; the payer then sees what it offers now.
void take_choice(Api& api, Reader& reader, const HttpExchangePtr& exchange, const Choice& choice) {
  const auto found = find_checkout(reader, exchange->parameter());
  if (query::is_unread(found)) return exchange->answer(not_now(language_for(*exchange)));
  if (!found) return exchange->answer(page_response(404, missing_checkout_page(language_for(*exchange))));
  const std::vector<OfferedMethod> methods = methods_of(api, found->aggregate);
  const auto offer = std::ranges::find_if(
      methods, [&](const OfferedMethod& one) { return one.channel == choice.channel && one.method == choice.method; });
  if (offer == methods.end()) return exchange->answer(back_to_the_page(*exchange));
  start(api, exchange, found->aggregate.order, fields_of(*offer, *exchange), choice.attempts);
}

void choose_method(Api& api, const HttpExchangePtr& exchange) {
  const net::HttpRequest& request = exchange->request();
  if (!is_from_the_page(request, api.services.policy))
    return exchange->answer(page_response(403, rejected_checkout_page(language_for(*exchange))));
  const std::optional<Choice> choice = read_choice(request);
  if (!choice) return exchange->answer(page_response(400, rejected_checkout_page(language_for(*exchange))));
  read_for_payer(
      api, exchange, [&api, exchange, choice = *choice](Reader& reader) { take_choice(api, reader, exchange, choice); },
      nullptr);
}

net::HttpResponse logo_response(const Bytes& logo, std::string_view known) {
  const std::string etag = etag_of(logo);
  net::HttpResponse response{.status = known.contains(etag) || known == "*" ? 304 : 200};
  response.headers.add("ETag", etag);
  response.headers.add("Cache-Control", "private, max-age=86400");  // the page names the version in the URL
  if (response.status == 304) return response;
  response.body = logo.data();
  response.headers.add("Content-Type", std::string(image_info_of(logo.data()).value_or(ImageInfo{}).media_type));
  response.headers.add("Content-Security-Policy", "default-src 'none'; sandbox");
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

void show_logo(Api& api, const HttpExchangePtr& exchange) {
  read_for_payer(
      api, exchange,
      [exchange](Reader& reader) {
        const auto link = find_link(reader, exchange->parameter());
        if (query::is_unread(link)) return exchange->answer(not_now(language_for(*exchange)));
        if (!link || !link->merchant.brand_logo)
          return exchange->answer(page_response(404, missing_checkout_page(language_for(*exchange))));
        exchange->answer(logo_response(*link->merchant.brand_logo, exchange->request().headers.get("If-None-Match")));
      },
      exchange->request().closed);
}

}  // namespace

void add_checkout(Api& api) {
  add_route(api, "GET", "/checkout/{token}", Access::open, Role::viewer, show_checkout);
  add_route(api, "POST", "/checkout/{token}", Access::open, Role::viewer, choose_method);
  add_route(api, "GET", "/checkout/{token}/logo", Access::open, Role::viewer, show_logo);
}

}  // namespace finality::http
