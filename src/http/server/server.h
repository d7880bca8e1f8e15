// HTTP server of the API: routes requests, authenticates keys, validates fields, submits commands to the engine, reads
// the store. Order of the checks:
//
//   bytes ─► HttpServer ─► route 404/405 ─► key 401 ─► fields 400 ─┬─► engine: idempotency, role, object, business
//                                                                  └─► reader: role, object
//
// Of a request with a long body, route, key and role are checked after the headers, before the body is read.
#pragma once

#include <functional>
#include <memory>

#include "base/net/http_server.h"
#include "base/result.h"
#include "http/server/api.h"
#include "http/server/services.h"

namespace finality::http {

class Dispatcher;

class ApiServer {
 public:
  /// Opens the readers, then listens as configured in `options`, except for `options.refuse` and the limits of size,
  /// which it overrides. Returns the error of the store or the socket.
  static Result<std::unique_ptr<ApiServer>> start(const Services& services, net::ServerOptions options);
  /// Stops the server and closes all connections. REQUIRES: the engine has been drained, so that no reply is pending.
  ~ApiServer();

  /// Returns the port on which the server listens.
  std::uint16_t port() const;
  /// Returns the numbers of connections and bytes. Thread safe.
  net::ServerCounts counts() const;
  /// Begins the shutdown: /readyz fails, no new connections are accepted, and received requests are answered. Calls
  /// `done` when the last connection is closed or `patience` has passed. Thread safe.
  void drain(Duration patience, std::function<void()> done);

 private:
  explicit ApiServer(std::shared_ptr<Api> api);

  std::shared_ptr<Api> api_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<net::HttpServer> server_;  // destroyed first, because its threads use `api_`
};

}  // namespace finality::http
