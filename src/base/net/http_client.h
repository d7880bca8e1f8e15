// An HTTP/1.1 client: TLS with verification, one absolute deadline per call, connections reused per origin.
//
// A call ends in exactly one CallResult. `sent` tells whether any byte of the request may have left the machine: when
// it is false the other side cannot have acted on it. The client itself never repeats a request; the one exception is a
// reused connection that was closed before a byte of the request was written.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/net/http_message.h"
#include "base/net/io_pool.h"
#include "base/time/time.h"

namespace finality::net {

struct CallResult {
  bool answered = false;  // a complete response arrived before the deadline
  bool sent = false;      // some byte of the request may have left
  HttpResponse response;
  std::string failure;  // when not answered: why, in words; "address not allowed: …" for a target it will not go to
};

struct Call {
  std::string url;  // http:// or https://, with path and query
  std::string method = "GET";
  Headers headers;  // Host, Content-Length, Connection and Transfer-Encoding are the client's: given ones are left out
  std::string body;
  Duration timeout{10'000};  // from now to the last byte of the answer
  /// Only public addresses: the name is resolved once, every address checked, the checked one is connected to (no
  /// second look-up), and redirects are never followed. False for channels, whose addresses the operator configures.
  bool public_only = false;
  /// "host" or "address" entries exempt from `public_only`; compared exactly but for case.
  std::vector<std::string> allow_private;
  std::size_t response_bytes_max = 1 << 20;
};

class HttpClient {
 public:
  /// Connections kept idle per origin and the number of calls under way at once have limits; a call over the limit
  /// fails at once, unsent.
  static std::unique_ptr<HttpClient> create(IoPool& io, std::size_t calls_max = 4096);
  /// Closes idle connections. Calls under way go on to their own end.
  virtual ~HttpClient() = default;

  /// Starts the call; `done` runs once on an I/O thread. Thread safe.
  virtual void call(Call call, std::function<void(CallResult)> done) = 0;
};

/// Whether an IPv4 or IPv6 address literal is one of the public internet: not loopback, private, link-local, shared,
/// multicast, documentation, reserved, nor an IPv6 form that carries such an IPv4 address.
bool is_public_address(const std::string& literal);

/// Whether a call with `public_only` may try the URL: its host is a name, which is looked up only then, or a public
/// address, or exempt as in Call::allow_private. False for what is no http or https URL.
bool may_be_public(const std::string& url, std::span<const std::string> allow_private);

}  // namespace finality::net
