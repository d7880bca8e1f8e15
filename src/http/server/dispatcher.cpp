#include "http/server/dispatcher.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/net/client_address.h"
#include "http/input/json_document.h"
#include "http/input/query_params.h"
#include "http/server/problem.h"

namespace finality::http {
namespace {

bool is_read(const net::HttpRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

// Returns the length of the body that the head announces; empty if it is unknown.
std::optional<std::size_t> body_bytes_of(const net::HttpRequest& head) {
  const std::string_view length = head.headers.get("Content-Length");
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return error == std::errc{} && end == length.data() + length.size() ? std::optional(bytes) : std::nullopt;
}

// Checks the limits of the key and of its merchant. Requests of operators do not count against the merchant, so that
// operators can act for a merchant that exceeds its limit.
std::optional<Refusal> limit_principal(RateLimits& rate_limits, const HttpExchange& exchange) {
  const Principal& principal = exchange.principal();
  const bool read = is_read(exchange.request());
  const auto take = [&](RateLimit limit, std::int64_t id) {
    return rate_limits.take(limit, static_cast<std::uint64_t>(id), exchange.started_at());
  };
  auto refusal = take(read ? RateLimit::api_key_reads : RateLimit::api_key_writes, principal.key_id.value);
  if (refusal || principal.role != Role::merchant) return refusal;
  return take(read ? RateLimit::merchant_reads : RateLimit::merchant_writes, principal.merchant_id.value);
}

// Returns the time limits of a request that was received too slowly. Only an upload has a permit.
std::string exceeded_time(const net::HttpRequest& request, const UploadSettings& uploads) {
  constexpr auto kWhole = std::chrono::duration_cast<std::chrono::seconds>(limits::kRequestReadMax);
  return request.permit != nullptr ? time_limits_of(uploads)
                                   : fmt::format("Send a request within {} seconds.", kWhole.count());
}

// Checks the query of a request to a route that has no query parameters.
std::optional<Refusal> check_query(const HttpExchange& exchange, const HttpRoute& route) {
  if (route.reads_query) return std::nullopt;
  auto checked = QueryParams(exchange.request().query()).finish();
  return checked ? std::nullopt : std::optional(std::move(checked.error()));
}

}  // namespace

Dispatcher::Dispatcher(Api& api, const Router& router)
    : api_(api),
      router_(router),
      unmatched_(api.metrics.add_route("_OTHER", "")),
      uploads_(std::make_shared<UploadBudget>(api.services.uploads.bytes_max)) {
  for (const HttpRoute* route : router.routes())
    metrics_.emplace(route, &api.metrics.add_route(route->method, route->pattern));
}

void Dispatcher::handle(net::HttpRequest request, net::Respond respond) {
  const auto exchange = std::make_shared<HttpExchange>(std::move(request), std::move(respond), new_request_id());
  const Match match = router_.match(exchange->request().method, exchange->request().path());
  const HttpRoute* const route = match.route;
  enter(*exchange, match);
  if (auto refusal = limit_address(*exchange, route != nullptr ? route->traffic : Traffic::requests))
    return exchange->refuse(std::move(*refusal));
  if (route == nullptr) return refuse_route(exchange, match);
  if (route->access == Access::open) return route->handler(exchange);
  api_.authenticator.authenticate(exchange->request(), route->access, route->role,
                                  [&api = api_, exchange, route](const std::expected<Principal, Refusal>& principal) {
                                    if (!principal) return exchange->refuse(principal.error());
                                    exchange->identify(*principal);
                                    if (auto refusal = limit_principal(api.rate_limits, *exchange))
                                      return exchange->refuse(std::move(*refusal));
                                    if (auto refusal = check_query(*exchange, *route))
                                      return exchange->refuse(std::move(*refusal));
                                    route->handler(exchange);
                                  });
}

void Dispatcher::enter(HttpExchange& exchange, const Match& match) {
  exchange.enter(match, match.route != nullptr ? *metrics_.at(match.route) : unmatched_, api_.services.access_log);
}

// Checks the limit of the client address. Runs before the key is checked.
std::optional<Refusal> Dispatcher::limit_address(const HttpExchange& exchange, Traffic traffic) {
  if (traffic == Traffic::unlimited) return std::nullopt;
  const net::HttpRequest& request = exchange.request();
  const std::optional<std::uint64_t> caller = net::client_number(request.peer);
  if (!caller) return std::nullopt;
  RateLimit limit = is_read(request) ? RateLimit::address_reads : RateLimit::address_writes;
  if (traffic == Traffic::notifications) limit = RateLimit::notifications;
  return api_.rate_limits.take(limit, *caller, exchange.started_at());
}

std::size_t Dispatcher::body_bytes_max(const net::HttpRequest& head) const {
  const Match match = router_.match(head.method, head.path());
  return match.route != nullptr ? match.route->body_bytes_max : limits::kBodyBytesMax;
}

void Dispatcher::permit_body(net::HttpRequest head, net::BodyRules::Done done) {
  // A rejection is answered, counted and logged like that of a complete request.
  const auto exchange = std::make_shared<HttpExchange>(
      std::move(head), [done](net::HttpResponse response) { done(std::unexpected(std::move(response))); },
      new_request_id());
  const Match match = router_.match(exchange->request().method, exchange->request().path());
  enter(*exchange, match);
  if (match.route == nullptr) {
    if (auto refusal = limit_address(*exchange, Traffic::requests)) return exchange->refuse(std::move(*refusal));
    return refuse_route(exchange, match);
  }
  const HttpRoute& route = *match.route;
  if (route.access == Access::open) return done(net::Permit());
  const bool can_be_large = route.body_bytes_max > limits::kBodyBytesMax;
  const std::size_t bytes = body_bytes_of(exchange->request()).value_or(route.body_bytes_max);
  api_.authenticator.authenticate(exchange->request(), route.access, route.role,
                                  [&api = api_, exchange, done, can_be_large, bytes,
                                   uploads = uploads_](const std::expected<Principal, Refusal>& principal) {
                                    if (!principal) return exchange->refuse(principal.error());
                                    exchange->identify(*principal);
                                    if (!principal->allowed) {
                                      auto refusal = limit_principal(api.rate_limits, *exchange);
                                      return exchange->refuse(refusal ? std::move(*refusal) : forbidden(*principal));
                                    }
                                    if (!can_be_large) return done(net::Permit());
                                    auto permit = uploads->reserve(principal->key_id, bytes);
                                    if (!permit) return exchange->refuse(std::move(permit.error()));
                                    done(std::move(*permit));
                                  });
}

net::HttpResponse Dispatcher::refuse(int status, std::string_view reason, const net::HttpRequest& request) {
  const std::string id = new_request_id();
  if (api_.services.access_log)
    log::info("request refused before routing", {{"status", status}, {"reason", reason}, {"request_id", id}});
  constexpr int kTimeout = 408;
  const std::string sentence = status == kTimeout ? exceeded_time(request, api_.services.uploads) : std::string(reason);
  return server_problem(status, sentence, id, body_bytes_max(request));
}

void Dispatcher::refuse_route(const HttpExchangePtr& exchange, const Match& match) {
  if (match.allow.empty()) {
    const net::HttpRequest& request = exchange->request();
    return exchange->refuse({RefusalCode::unknown_endpoint,
                             fmt::format("{} {} is not an endpoint of this API. /docs lists the endpoints.",
                                         request.method, shortened(request.path())),
                             {},
                             {}});
  }
  net::HttpResponse response = problem_response(
      Refusal{RefusalCode::method_not_allowed, "The endpoint supports these methods: " + match.allow + ".", {}, {}},
      exchange->request_id());
  response.headers.add("Allow", match.allow);
  exchange->answer(std::move(response));
}

}  // namespace finality::http
