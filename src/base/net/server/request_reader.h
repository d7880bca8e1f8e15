// Parses the bytes of one connection into consecutive requests, within limits. Does no I/O. Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/net/http_message.h"

namespace finality::net {

/// A request, and how its connection must handle the response.
struct ReadRequest {
  HttpRequest request;
  bool keep_alive = true;
  bool version_1_0 = false;
};

class RequestReader {
 public:
  enum class State {
    kIdle,      // no byte of the next request has been read
    kHead,      // the request line or the fields are incomplete
    kHeld,      // the head is complete; the body is large and is read after permit()
    kBody,      // the head is complete, the body is not
    kComplete,  // the request is complete; take() returns it
    kRefused,   // rejected with status refusal(); no further request can be read from this connection
  };

  /// `head_bytes_max` limits the request line and the fields together. `large_bytes_max` is LargeBodies::bytes_max.
  RequestReader(std::size_t head_bytes_max, std::size_t body_bytes_max,
                std::function<std::size_t(const HttpRequest& head)> large_bytes_max = nullptr);
  ~RequestReader();

  /// Reads `bytes` until they end or the request is complete or rejected. Returns the number of consumed bytes. The
  /// caller must pass the other bytes again, followed by further input.
  std::size_t read(std::string_view bytes);
  /// Continues with the large body. The request keeps the permit. REQUIRES: state() is kHeld.
  void permit(Permit permit);

  /// The progress of the current request.
  State state() const { return state_; }
  /// True if a byte of the current request has been read.
  bool started() const { return state_ != State::kIdle; }
  /// True if the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const;
  /// Status of the rejection: 400, 413 or 431. REQUIRES: state() is kRefused.
  int refusal() const { return refusal_; }
  /// The parts of the current request that have been read so far.
  const HttpRequest& partial() const;

  /// Returns the request and prepares for the next request. REQUIRES: state() is kComplete.
  ReadRequest take();

 private:
  class Parser;

  void begin_body();
  void restart();
  void refuse(int status);

  const std::size_t head_bytes_max_;
  const std::size_t body_bytes_max_;
  const std::function<std::size_t(const HttpRequest& head)> large_bytes_max_;
  std::unique_ptr<Parser> parser_;
  State state_ = State::kIdle;
  std::size_t head_bytes_ = 0;
  int refusal_ = 0;
};

}  // namespace finality::net
