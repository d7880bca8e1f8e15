// Turns the bytes of one connection into requests, one after the other, within limits. Does no I/O. Not thread safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/net/http_message.h"

namespace finality::net {

/// A request with what its connection has to know about it.
struct ReadRequest {
  HttpRequest request;
  bool keep_alive = true;
  bool version_1_0 = false;
};

class RequestReader {
 public:
  enum class State {
    kIdle,      // not a byte of the next request has been seen
    kHead,      // within the request line or the fields
    kBody,      // the head is known, the body is not complete
    kComplete,  // take() it
    kRefused,   // it breaks a rule: refusal() says which; nothing more can be read from this connection
  };

  /// `head_bytes_max` covers the request line and the fields.
  RequestReader(std::size_t head_bytes_max, std::size_t body_bytes_max);
  ~RequestReader();

  /// Reads from `bytes` until it ends or the request is complete or refused; returns how many bytes were used up. The
  /// others have to be given again, with more behind them.
  std::size_t read(std::string_view bytes);

  State state() const { return state_; }
  bool started() const { return state_ != State::kIdle; }
  /// Whether the sender waits for "100 Continue" before it sends the body.
  bool expects_continue() const;
  /// 400, 413 or 431. REQUIRES: refused.
  int refusal() const { return refusal_; }
  /// What is known of a request that is not complete.
  const HttpRequest& partial() const;

  /// Hands out the request and makes ready for the next. REQUIRES: complete.
  ReadRequest take();

 private:
  class Parser;

  void restart();
  void refuse(int status);

  const std::size_t head_bytes_max_;
  const std::size_t body_bytes_max_;
  std::unique_ptr<Parser> parser_;
  State state_ = State::kIdle;
  std::size_t head_bytes_ = 0;
  int refusal_ = 0;
};

}  // namespace finality::net
