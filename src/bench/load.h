// An HTTP client for measuring: many requests over a few connections that stay open, each answered with its status.
// One thread; nothing is retried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace finality::bench {

class HttpLoad {
 public:
  /// Connects at once; an error names the address. `context` outlives this object, and everything below happens on the
  /// thread that runs it.
  static Result<std::unique_ptr<HttpLoad>> connect(boost::asio::io_context& context, const std::string& host,
                                                   std::uint16_t port, std::size_t connections);
  virtual ~HttpLoad() = default;

  /// Sends the request as it stands, over a connection that is free or the first that gets free. `done` gets the
  /// answer's status, or 0 when the connection broke; it may send the next one.
  virtual void send(std::string request, std::function<void(int status)> done) = 0;
};

}  // namespace finality::bench
