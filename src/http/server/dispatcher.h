// Creates an exchange for each request, authenticates the caller, and calls the handler of the route.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/limits/upload_budget.h"
#include "http/server/api.h"
#include "http/server/exchange.h"
#include "http/server/request_id.h"

namespace finality::http {

/// Dispatches requests to the handlers of their routes. Thread safe.
class Dispatcher {
 public:
  /// Dispatches to the routes of `router`. REQUIRES: the routes have been added. `api` and `router` must outlive this
  /// object.
  Dispatcher(Api& api, const Router& router);

  /// Routes the request, authenticates its key and calls the handler. `respond` is called once, on any thread.
  void handle(net::HttpRequest request, net::Respond respond);
  /// Returns the limit of the body of the request, which depends on its route. `head`: the request without its body.
  std::size_t body_bytes_max(const net::HttpRequest& head) const;
  /// Permits a body that is not read with its head (net::BodyRules) if the route exists and the key may use it. A body
  /// of a route with a limit above limits::kBodyBytesMax gets a permit that is not null, if the UploadBudget has room
  /// for it: for its length or, if that is unknown, for the limit of its route.
  void permit_body(net::HttpRequest head, net::BodyRules::Done done);
  /// Returns the response to a request that the HTTP server rejected before routing, for example because it exceeds a
  /// size limit, or that no handler answered. `status`, `reason`, `request`: see net::ServerOptions::refuse.
  net::HttpResponse refuse(int status, std::string_view reason, const net::HttpRequest& request);

 private:
  std::optional<Refusal> limit_address(const HttpExchange& exchange, Traffic traffic);
  void enter(HttpExchange& exchange, const Match& match);
  void refuse_route(const HttpExchangePtr& exchange, const Match& match);
  std::string new_request_id() { return ids_.next(api_.services.clock.now()); }

  Api& api_;
  const Router& router_;
  RouteMetrics& unmatched_;
  std::unordered_map<const HttpRoute*, RouteMetrics*> metrics_;
  RequestIds ids_;
  const std::shared_ptr<UploadBudget> uploads_;
};

}  // namespace finality::http
