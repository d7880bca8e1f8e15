// Creates an exchange for each request, authenticates the caller, and calls the handler of the route.
#pragma once

#include <string>
#include <unordered_map>

#include "http/server/api.h"
#include "http/server/exchange.h"
#include "http/server/request_id.h"

namespace finality::http {

/// Dispatches requests to the handlers of their routes. Thread safe.
class Dispatcher {
 public:
  /// REQUIRES: the routes have been added. `api` must outlive this object.
  explicit Dispatcher(Api& api);

  /// Routes the request, authenticates its key and calls the handler. `respond` is called once, on any thread.
  void handle(net::HttpRequest request, net::Respond respond);
  /// Returns the response to a request that the HTTP server rejected before routing, for example because it exceeds a
  /// size limit. `status`: 400, 408, 413 or 431.
  net::HttpResponse refuse(int status);

 private:
  void refuse_route(const HttpExchangePtr& exchange, const Match& match);
  std::string new_request_id() { return ids_.next(api_.services.clock.now()); }

  Api& api_;
  RouteMetrics& unmatched_;
  std::unordered_map<const HttpRoute*, RouteMetrics*> metrics_;
  RequestIds ids_;
};

}  // namespace finality::http
