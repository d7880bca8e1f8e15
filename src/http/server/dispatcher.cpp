#include "http/server/dispatcher.h"

#include <fmt/format.h>

#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "http/input/json_document.h"
#include "http/server/problem.h"

namespace finality::http {

Dispatcher::Dispatcher(Api& api) : api_(api), unmatched_(api.metrics.add_route("_OTHER", "")) {
  for (const HttpRoute* route : api.router.routes())
    metrics_.emplace(route, &api.metrics.add_route(route->method, route->pattern));
}

void Dispatcher::handle(net::HttpRequest request, net::Respond respond) {
  const auto exchange = std::make_shared<HttpExchange>(std::move(request), std::move(respond), new_request_id());
  const Match match = api_.router.match(exchange->request().method, exchange->request().path());
  if (match.route == nullptr) return refuse_route(exchange, match);
  const HttpRoute& route = *match.route;
  exchange->enter(match, *metrics_.at(&route), api_.services.access_log);
  if (route.access == Access::open) return route.handler(exchange);
  api_.authenticator.authenticate(exchange->request().headers, route.access, route.role,
                                  [exchange, &route](const std::expected<Principal, Refusal>& principal) {
                                    if (!principal) return exchange->refuse(principal.error());
                                    exchange->identify(*principal);
                                    route.handler(exchange);
                                  });
}

std::size_t Dispatcher::body_bytes_max(const net::HttpRequest& head) const {
  const Match match = api_.router.match(head.method, head.path());
  return match.route != nullptr ? match.route->body_bytes_max : limits::kBodyBytesMax;
}

// Returns null if all permits are in use.
net::Permit Dispatcher::take_permit(const LargeBodyCount& count) {
  const net::Permit permit(count.get(), [count](const void*) { --*count; });
  return ++*count <= limits::kLargeBodiesMax ? permit : nullptr;
}

void Dispatcher::permit_body(net::HttpRequest head, net::BodyRules::Done done) {
  // A rejection is answered, counted and logged like that of a complete request.
  const auto exchange = std::make_shared<HttpExchange>(
      std::move(head), [done](net::HttpResponse response) { done(std::unexpected(std::move(response))); },
      new_request_id());
  const Match match = api_.router.match(exchange->request().method, exchange->request().path());
  if (match.route == nullptr) return refuse_route(exchange, match);
  const HttpRoute& route = *match.route;
  if (route.access == Access::open) return done(net::Permit());
  exchange->enter(match, *metrics_.at(&route), api_.services.access_log);
  const bool can_be_large = route.body_bytes_max > limits::kBodyBytesMax;
  api_.authenticator.authenticate(
      exchange->request().headers, route.access, route.role,
      [exchange, done, can_be_large, count = large_bodies_](const std::expected<Principal, Refusal>& principal) {
        if (!principal) return exchange->refuse(principal.error());
        exchange->identify(*principal);
        if (!principal->allowed) return exchange->refuse(forbidden());
        if (!can_be_large) return done(net::Permit());
        if (net::Permit permit = take_permit(count)) return done(std::move(permit));
        exchange->refuse({RefusalCode::busy,
                          "Too many large files are being received. Nothing was changed. Retry after a few seconds.",
                          {},
                          {}});
      });
}

net::HttpResponse Dispatcher::refuse(int status, std::string_view reason, const net::HttpRequest& request) {
  const std::string id = new_request_id();
  if (api_.services.access_log)
    log::info("request refused before routing", {{"status", status}, {"reason", reason}, {"request_id", id}});
  return server_problem(status, reason, id, body_bytes_max(request));
}

void Dispatcher::refuse_route(const HttpExchangePtr& exchange, const Match& match) {
  exchange->enter(match, unmatched_, api_.services.access_log);
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
