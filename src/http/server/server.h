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
#include <optional>

#include "base/net/http_server.h"
#include "base/result.h"
#include "http/server/api.h"
#include "http/server/services.h"

namespace finality::http {

class Dispatcher;

class ApiServer {
 public:
  /// Opens the readers, then listens as configured in `options`, except for `options.refuse` and the limits of size,
  /// which it overrides. `health`: a second listener with a separate thread, for /healthz, /readyz and /metrics only.
  /// Returns the error of the store or a socket.
  static Result<std::unique_ptr<ApiServer>> start(const Services& services, net::ServerOptions options,
                                                  std::optional<net::ServerOptions> health = std::nullopt);
  /// Stops the server and closes all connections. REQUIRES: the engine has been drained, so that no reply is pending.
  ~ApiServer();

  /// Returns the port on which the server listens.
  std::uint16_t port() const;
  /// Returns all routes of the API. The pointers are valid as long as this object. Thread safe.
  std::vector<const HttpRoute*> routes() const;
  /// Returns the numbers of connections and bytes. Thread safe.
  net::ServerCounts counts() const;
  /// Returns the port of the listener for health and metrics. REQUIRES: there is one.
  std::uint16_t health_port() const;
  /// Numbers of the reads of objects, and of the look-ups of API keys and merchants. Valid as long as this object.
  const ReadCounters& reads() const;
  const ReadCounters& key_reads() const;
  /// Begins the shutdown: /readyz fails, no new connections are accepted, and received requests are answered. The
  /// listener for health stays open. Calls `done` when the last connection is closed or `patience` has passed. Thread
  /// safe.
  void drain(Duration patience, std::function<void()> done);

 private:
  /// A listener, destroyed before its dispatcher and its thread.
  struct Health {
    net::IoPool io{1};
    std::unique_ptr<Dispatcher> dispatcher;
    std::unique_ptr<net::HttpServer> server;
  };

  explicit ApiServer(std::shared_ptr<Api> api);
  Result<void> listen(net::ServerOptions options);
  Result<void> listen_for_health(net::ServerOptions options);

  std::shared_ptr<Api> api_;
  std::unique_ptr<Dispatcher> dispatcher_;
  // Destroyed first, because their threads use `api_`.
  std::unique_ptr<Health> health_;  // null without a listener for health
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace finality::http
