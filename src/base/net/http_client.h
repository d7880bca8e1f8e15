// HTTP/1.1 client with verified TLS, one absolute deadline per call, and connections reused per origin.
//
// A call ends in exactly one CallResult. If CallResult::sent is false, no byte of the request has left the machine, so
// the server cannot have acted on the request. The client repeats a request in one case only: a reused connection was
// closed before a byte of the request was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/net/http_message.h"
#include "base/net/io_pool.h"
#include "base/time/time.h"

namespace finality::net {

/// The outcome of one call.
struct CallResult {
  bool answered = false;  // a complete response arrived before the deadline
  bool sent = false;      // at least one byte of the request may have been sent
  HttpResponse response;
  std::string failure;  // the reason if `answered` is false; "address not allowed: …" for a rejected target
  /// A limit of this client rejected the call. The server was not contacted, and a later call can succeed.
  bool over_limit = false;
};

/// One request, with the limits of the call.
struct Call {
  std::string url;  // http:// or https://, with path and query
  std::string method = "GET";
  Headers headers;  // Host, Content-Length, Connection and Transfer-Encoding are ignored: the client sets them
  std::string body;
  Duration timeout{10'000};  // from the start of the call to the last byte of the response
  /// Restricts the call to public addresses. The client resolves the name once, checks every address, connects to a
  /// checked address without a second look-up, and never follows redirects. False for channels, because the operator
  /// sets their addresses.
  bool public_only = false;
  /// Host names and IP addresses exempt from `public_only`; compared as texts, ignoring case.
  std::vector<std::string> allow_private;
  /// The third party that chose the URL, such as a merchant. Limits the look-ups of host names (name_lookup.h). Empty
  /// if the operator chose the URL.
  std::optional<std::int64_t> url_owner{};
  std::size_t response_bytes_max = 1 << 20;
};

struct HttpClientOptions {
  std::size_t calls_max = 4096;  // concurrent calls; a further call fails immediately and sends nothing
  std::string name_servers{};    // as in are_name_servers() of name_lookup.h; empty: those of /etc/resolv.conf
  // Reads the system's trusted certificates at once instead of before the first TLS connection. This takes 30 ms of
  // processor time, which a server does not spend during a payment, and a client without TLS never spends.
  bool reads_certificates_at_once = false;
};

class HttpClient {
 public:
  /// `io` must outlive the client.
  static std::unique_ptr<HttpClient> create(IoPool& io, HttpClientOptions options = {});
  /// Closes idle connections and fails the calls that look up a host name. Other calls in flight continue to their end.
  virtual ~HttpClient() = default;

  /// Starts the call and returns immediately. `done` runs exactly once, on an I/O thread. Thread safe.
  virtual void call(Call call, std::function<void(CallResult)> done) = 0;
};

/// True if an IPv4 or IPv6 literal is on the public internet. False for loopback, private, link-local, shared,
/// multicast, documentation and reserved addresses, and for IPv6 addresses that embed one of them.
bool is_public_address(const std::string& literal);

/// True if the host of a URL, a name or an address without brackets, is this machine: localhost (RFC 6761), in any case
/// and with or without a final dot, 127.0.0.0/8 or ::1. NameLookup sends no query for these names.
bool is_loopback_host(const std::string& host);

/// True if a call with `public_only` may try the URL: its host is a name (resolved only during the call), a public
/// address, or exempt as in Call::allow_private. False if it is not an http or https URL.
bool may_be_public(const std::string& url, std::span<const std::string> allow_private);

}  // namespace finality::net
