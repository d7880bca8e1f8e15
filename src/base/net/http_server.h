// HTTP/1.1 server over plain TCP with keep-alive, pipelining (responses in request order), and limits on all resources.
//
// The handler runs on one of the server's I/O threads and calls `respond` once, from any thread, immediately or later.
// After the connection or the server has been destroyed, `respond` does nothing. The client receives 500 if a handler
// throws or drops every copy of `respond` unused. A request that breaks a limit never reaches the handler: the server
// gets the response from `ServerOptions::refuse`, writes it and closes the connection.
//
// The server counts the memory of requests, from the body's first byte until the response is sent. It reads no further
// request of a connection, a client or all clients that hold too much. It closes clients that do not read or send
// while a limit is exceeded. Clients are IPv4 addresses and /64 networks of IPv6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/net/client_address.h"
#include "base/net/http_message.h"
#include "base/net/io_pool.h"
#include "base/result.h"
#include "base/time/time.h"

namespace finality::net {

using Respond = std::function<void(HttpResponse)>;
using Handler = std::function<void(HttpRequest, Respond)>;

/// How the server receives bodies that are not read together with their head: longer than
/// ServerOptions::unchecked_body_bytes_max, chunked, or large (above ServerOptions::body_bytes_max). A chunked body
/// counts as large if its request can have one, because its size is unknown. The functions run on any thread and must
/// not block.
struct BodyRules {
  using Done = std::function<void(std::expected<Permit, HttpResponse>)>;

  /// Returns the limit of the body of the request; at most ServerOptions::body_bytes_max if the request cannot have a
  /// large body. `head` contains the request line and the headers. If null, no request can have a large body.
  std::function<std::size_t(const HttpRequest& head)> bytes_max = nullptr;
  /// Decides whether the body is read, and calls `done` once, on any thread: with a permit, which is kept in
  /// HttpRequest::permit, or with the response that rejects the request. The permit of a large body is not null. Until
  /// then, the client receives no "100 Continue". Without a decision the request gets 408. If null, all bodies are
  /// read. REQUIRES: not null if `bytes_max` is not null.
  std::function<void(HttpRequest head, Done done)> permit = nullptr;
  Duration large_timeout = limits::kLargeBodyReadMax;  // of a request with a permit that is not null
  /// A body with a permit that is not null gets 408 if fewer bytes per second arrive within `large_rate_window`. 0: no
  /// minimum.
  std::size_t large_rate_min = 0;
  Duration large_rate_window = limits::kLargeBodyRateWindow;
};

/// The server's address and limits.
struct ServerOptions {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 literal
  std::uint16_t port = 0;             // 0 selects a free port
  std::size_t body_bytes_max = limits::kBodyBytesMax;
  std::size_t unchecked_body_bytes_max = limits::kUncheckedBodyBytesMax;
  std::size_t header_bytes_max = limits::kHeaderBytesMax;  // of the request line and the fields together
  std::size_t connections_max = limits::kConnectionsMax;   // lower if the system allows fewer (descriptors.h)
  std::size_t client_connections_max = limits::kClientConnectionsMax;
  /// Memory of requests and unsent responses. Bodies with a permit that is not null do not count.
  std::size_t connection_bytes_max = limits::kConnectionBytesMax;
  std::size_t client_bytes_max = limits::kClientBytesMax;
  std::size_t server_bytes_max = limits::kServerBytesMax;
  Duration idle_timeout = limits::kConnectionIdleMax;
  Duration request_timeout = limits::kRequestReadMax;
  Duration stalled_max = limits::kStalledMax;
  /// Proxies whose forwarding headers determine HttpRequest::peer (client_address.h). They have no limits of
  /// connections and bytes per client.
  AddressBlocks trusted_proxies{};
  /// Names of headers that a request must not repeat, in addition to those of HTTP itself (request_reader.h).
  std::vector<std::string> singleton_headers{};
  BodyRules body_rules{};
  /// Creates the response for a request that was rejected (400 malformed, 408 too slow, 413 body too large, 431 headers
  /// too large, 503 too many bodies being received) or that the handler left unanswered (500). `reason` is a sentence
  /// about what is wrong; empty if it is not known or clear from the status. `request` contains the parts read so far.
  /// Runs on any thread and must not call the server. If null, the response contains only the status.
  std::function<HttpResponse(int status, std::string_view reason, const HttpRequest& request)> refuse = nullptr;
};

/// Numbers of a server since its start; the first two are current.
struct ServerCounts {
  std::size_t connections = 0;
  std::size_t waiting_bytes = 0;              // memory of requests and unsent responses, as far as it is counted
  std::uint64_t connections_evicted = 0;      // inactive connections closed to accept others
  std::uint64_t connections_refused = 0;      // not accepted because of their client's other connections
  std::uint64_t connections_over_budget = 0;  // closed because of their memory
  std::uint64_t bodies_over_budget = 0;       // rejected because of the memory of other requests
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
  /// The current counts. Thread safe.
  virtual ServerCounts counts() const = 0;
  /// Accepts the connections that the system has established, then no more. Answers received requests with
  /// `Connection: close`, and closes connections that stay idle for limits::kDrainIdleMax. Calls `done` when the last
  /// connection is closed or `patience` has elapsed. Thread safe.
  virtual void drain(Duration patience, std::function<void()> done) = 0;
};

}  // namespace finality::net
