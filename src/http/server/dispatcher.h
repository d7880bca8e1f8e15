// Creates an exchange per request, authenticates it, and passes it to the handler of its route.
#pragma once

#include <string>
#include <unordered_map>

#include "http/server/api.h"
#include "http/server/exchange.h"
#include "http/server/request_id.h"

namespace finality::http {

/// Thread safe.
class Dispatcher {
 public:
  /// REQUIRES: the routes have been added. `api` must outlive this.
  explicit Dispatcher(Api& api);

  /// Handles the request. Calls `respond` once, on any thread.
  void handle(net::HttpRequest request, net::Respond respond);
  /// The response to a request that was rejected before routing, for example because it exceeds a limit.
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
