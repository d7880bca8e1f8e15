// HTTP/1.1 server over plain TCP with keep-alive, pipelining (responses in request order), and limits on all resources.
//
// The handler runs on one of the server's I/O threads and calls `respond` once, from any thread, immediately or later.
// After the connection or the server has been destroyed, `respond` does nothing. The client receives 500 if a handler
// throws or drops every copy of `respond` unused. A request that breaks a limit never reaches the handler: the server
// gets the response from `ServerOptions::refuse`, writes it and closes the connection. The body of a request above
// `ServerOptions::body_bytes_max` is read only with the permit of `ServerOptions::large_bodies`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/net/http_message.h"
#include "base/net/io_pool.h"
#include "base/result.h"
#include "base/time/time.h"

namespace finality::net {

using Respond = std::function<void(HttpResponse)>;
using Handler = std::function<void(HttpRequest, Respond)>;

/// How the server receives requests with a body above ServerOptions::body_bytes_max. A chunked body counts as large if
/// its request can have one, because its size is unknown. The functions run on any thread and must not block.
struct LargeBodies {
  using Done = std::function<void(std::expected<Permit, HttpResponse>)>;

  /// Returns the limit of the body of the request; at most ServerOptions::body_bytes_max if the request cannot have a
  /// large body. `head` contains the request line and the headers. If null, no request can have a large body.
  std::function<std::size_t(const HttpRequest& head)> bytes_max = nullptr;
  /// Decides whether the body is read, and calls `done` once, on any thread: with a permit, which is not null and is
  /// kept in HttpRequest::permit, or with the response that rejects the request. Until then, the client receives no
  /// "100 Continue". Without a decision the request gets 408. REQUIRES: not null if `bytes_max` is not null.
  std::function<void(HttpRequest head, Done done)> permit = nullptr;
  Duration request_timeout = limits::kLargeBodyReadMax;  // of a request with a permit
};

/// The server's address and limits.
struct ServerOptions {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 literal
  std::uint16_t port = 0;             // 0 selects a free port
  std::size_t body_bytes_max = limits::kBodyBytesMax;
  std::size_t header_bytes_max = limits::kHeaderBytesMax;  // of the request line and the fields together
  std::size_t connections_max = limits::kConnectionsMax;   // lower if the system allows fewer (descriptors.h)
  Duration idle_timeout = limits::kConnectionIdleMax;
  Duration request_timeout = limits::kRequestReadMax;
  LargeBodies large_bodies{};  // without its functions: none
  /// Creates the response for a request that was rejected (400 malformed, 408 too slow, 413 body too large, 431 headers
  /// too large) or that the handler left unanswered (500). `request` contains the parts read so far. Runs on any thread
  /// and must not call the server. If null, the response contains only the status.
  std::function<HttpResponse(int status, const HttpRequest& request)> refuse = nullptr;
};

class HttpServer {
 public:
  /// Binds and listens. An error names the address and the port. `io` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> listen(IoPool& io, ServerOptions options, Handler handler);
  /// Closes every connection and waits for running handlers, so it must not be called from a handler. Afterwards the
  /// server calls neither the handler nor `refuse`.
  virtual ~HttpServer() = default;

  /// The port on which the server listens.
  virtual std::uint16_t port() const = 0;
  /// Stops accepting connections, answers received requests with `Connection: close`, and closes idle connections
  /// immediately. Calls `done` when the last connection is closed or `patience` has elapsed. Thread safe.
  virtual void drain(Duration patience, std::function<void()> done) = 0;
};

}  // namespace finality::net
