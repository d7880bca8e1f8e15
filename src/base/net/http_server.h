// An HTTP/1.1 server over plain TCP. Keep-alive, pipelined requests answered in order, bounded in every direction.
//
// The handler is called on one of the server's I/O threads and answers through `respond`, once, from any thread, now
// or later: after the connection or the server has gone it does nothing. A handler that throws, or lets go of every
// copy of `respond` unused, is answered 500. A request that breaks a limit never reaches the handler: the server asks
// `ServerOptions::refuse` for the answer, writes it and closes the connection.
#pragma once

#include <cstddef>
#include <cstdint>
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

struct ServerOptions {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 literal
  std::uint16_t port = 0;             // 0: any free one
  std::size_t body_bytes_max = limits::kBodyBytesMax;
  std::size_t header_bytes_max = limits::kHeaderBytesMax;  // request line and fields
  std::size_t connections_max = limits::kConnectionsMax;   // fewer where the system allows less (descriptors.h)
  Duration idle_timeout = limits::kConnectionIdleMax;
  Duration request_timeout = limits::kRequestReadMax;
  /// The answer for a request that never became one: 400 malformed, 408 too slow, 413 body, 431 headers; and for one
  /// the handler left unanswered: 500. `request` holds what is at hand (method and target when known). Called on any
  /// thread; it must not call back into the server. Without it the answer is the bare status.
  std::function<HttpResponse(int status, const HttpRequest& request)> refuse = nullptr;
};

class HttpServer {
 public:
  /// Binds and listens; an error names the address and the port.
  static Result<std::unique_ptr<HttpServer>> listen(IoPool& io, ServerOptions options, Handler handler);
  /// Closes every connection. Waits for handlers that are running, so it must not be called from one; afterwards
  /// neither the handler nor `refuse` is called again.
  virtual ~HttpServer() = default;

  /// The port it listens on.
  virtual std::uint16_t port() const = 0;
  /// Takes no new connections, answers what has been received with `Connection: close`, closes idle connections at
  /// once and calls `done` when the last connection is gone or `patience` has passed. Thread safe.
  virtual void drain(Duration patience, std::function<void()> done) = 0;
};

}  // namespace finality::net
