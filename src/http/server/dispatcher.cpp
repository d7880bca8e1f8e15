#include "http/server/dispatcher.h"

#include <fmt/format.h>

#include <utility>

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

net::HttpResponse Dispatcher::refuse(int status) {
  const std::string id = new_request_id();
  if (api_.services.access_log) log::info("request refused before routing", {{"status", status}, {"request_id", id}});
  return server_problem(status, id);
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
