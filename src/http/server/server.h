// The API over HTTP: routes, keys, strict fields, commands to the engine, reads from the store.
//
//   bytes ─► HttpServer ─► route 404/405 ─► key 401 ─► fields 400 ─┬─► engine: idempotency, role, object, business
//                                                                  └─► reader: role, object
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
  /// Opens the readers, then listens. `options.refuse` is the API's own; the size limits are the contract's.
  static Result<std::unique_ptr<ApiServer>> start(const Services& services, net::ServerOptions options);
  /// Closes every connection. REQUIRES: the engine was drained.
  ~ApiServer();

  /// The port it listens on.
  std::uint16_t port() const;
  /// Says "not ready", takes no new connections, answers what has been received, and calls `done` when the last
  /// connection is gone or `patience` has passed. Thread safe.
  void drain(Duration patience, std::function<void()> done);

 private:
  explicit ApiServer(std::shared_ptr<Api> api);

  std::shared_ptr<Api> api_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<net::HttpServer> server_;  // last: its threads use the API
};

}  // namespace finality::http
