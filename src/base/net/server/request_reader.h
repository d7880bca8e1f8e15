// Parses the bytes of one connection into consecutive requests, within limits. Does no I/O. Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_message.h"

namespace finality::net {

/// A request, and how its connection must handle the response.
struct ReadRequest {
  HttpRequest request;
  bool keep_alive = true;
  bool version_1_0 = false;
  std::size_t bytes = 0;  // memory of the request, without the body if it has a permit
};

/// The limits of a request.
struct ReaderLimits {
  std::size_t head_bytes_max = 0;  // of the request line and the fields together
  std::size_t body_bytes_max = 0;
  std::size_t unchecked_body_bytes_max = 0;  // ServerOptions::unchecked_body_bytes_max
  std::function<std::size_t(const HttpRequest& head)> large_bytes_max = nullptr;  // BodyRules::bytes_max
  std::vector<std::string> singleton_headers{};                                   // ServerOptions::singleton_headers
};

/// Rejects with 400, besides malformed messages (RFC 9112): folded header lines; a repeated Authorization,
/// Content-Length, Host or Transfer-Encoding; any transfer coding but "chunked"; a request target that is neither a
/// path nor an http(s) URI without user information, unless it is `*` of OPTIONS. HttpRequest::target is the path and
/// query of the URI, whose authority replaces the Host (RFC 9112 §3.2.2).
class RequestReader {
 public:
  enum class State {
    kIdle,      // no byte of the next request has been read
    kHead,      // the request line or the fields are incomplete
    kHeld,      // the head is complete; the body is not read with its head but after permit()
    kBody,      // the head is complete, the body is not
    kComplete,  // the request is complete; take() returns it
    kRefused,   // rejected with status refusal(); no further request can be read from this connection
  };

  explicit RequestReader(ReaderLimits limits);
  ~RequestReader();

  /// Reads `bytes` until they end or the request is complete or rejected. Returns the number of consumed bytes. The
  /// caller must pass the other bytes again, followed by further input.
  std::size_t read(std::string_view bytes);
  /// Continues with the body. The request keeps the permit. REQUIRES: state() is kHeld; the permit of a large body is
  /// not null.
  void permit(Permit permit);
  /// Forgets the current request.
  void restart();

  /// The progress of the current request.
  State state() const { return state_; }
  /// True if a byte of the current request has been read.
  bool started() const { return state_ != State::kIdle; }
  /// True if the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const;
  /// Content-Length of the current request; empty for a chunked body. REQUIRES: its head is complete.
  std::optional<std::size_t> body_length() const;
  /// Status of the rejection: 400, 413 or 431. REQUIRES: state() is kRefused.
  int refusal() const { return refusal_; }
  /// The reason of the rejection, as a sentence; empty if it is not known or clear from the status.
  const std::string& reason() const;
  /// The parts of the current request that have been read so far.
  const HttpRequest& partial() const;

  /// Returns the request and prepares for the next request. REQUIRES: state() is kComplete.
  ReadRequest take();

 private:
  class Parser;

  void begin_body();
  void refuse(int status);

  const ReaderLimits limits_;
  std::unique_ptr<Parser> parser_;
  State state_ = State::kIdle;
  std::size_t head_bytes_ = 0;
  bool is_large_ = false;      // the body needs a permit that is not null
  std::size_t bytes_max_ = 0;  // of the body
  int refusal_ = 0;
};

}  // namespace finality::net
