// HTTP client for benchmarks: sends many requests over a few persistent connections and reports the status of each.
// Single-threaded. Never repeats a request.
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
  /// Connects synchronously. An error names the address. `context` must outlive this object. All callbacks run on the
  /// thread that runs `context`.
  static Result<std::unique_ptr<HttpLoad>> connect(boost::asio::io_context& context, const std::string& host,
                                                   std::uint16_t port, std::size_t connections);
  virtual ~HttpLoad() = default;

  /// Sends the request unchanged over a free connection, or over the next one that becomes free. `done` receives the
  /// status of the response, or 0 if the connection failed. `done` may send the next request.
  virtual void send(std::string request, std::function<void(int status)> done) = 0;
};

}  // namespace finality::bench
