// Turns requests into exchanges and hands each to its route's handler, once it is known who asks.
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
  /// `api` has its routes already, and outlives this.
  explicit Dispatcher(Api& api);

  void handle(net::HttpRequest request, net::Respond respond);
  /// The response to a request that broke a limit of the server and has no route.
  net::HttpResponse refuse(int status, const net::HttpRequest& request);

 private:
  void refuse_route(const HttpExchangePtr& exchange, const Match& match);
  std::string new_request_id() { return ids_.next(api_.services.clock.now()); }

  Api& api_;
  RouteMetrics& unmatched_;
  std::unordered_map<const HttpRoute*, RouteMetrics*> metrics_;
  RequestIds ids_;
};

}  // namespace finality::http
