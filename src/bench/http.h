// Commands `finality bench http`, which measures a running server on this machine over HTTP, and `finality bench
// constant`, which serves constant responses for comparison. Internal commands of tools/bench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace finality::bench {

struct HttpBench {
  std::string url;             // URL of the server, without a path
  std::string key;             // a merchant's secret key
  bool insecure_http = false;  // as in app::AdminServer
  std::size_t connections = 64;
  double rate = 1000;               // orders per second, sent on schedule even if earlier requests have no response
  double seconds = 10;              // duration of the measurement with `rate`
  std::size_t payments = 0;         // nonzero: measures this number of complete payments instead of `rate`
  std::size_t clients = 256;        // number of payments in flight, with `payments`
  std::string channel = "sandbox";  // a simple channel of the sandbox, with `payments`
};

/// Measures the creation of orders at a fixed rate. Latency starts at the scheduled instant of a request, so it
/// includes the delay that a stalled server causes. With `payments`, instead measures payments over the sandbox until
/// the merchant server of the benchmark has received the webhook of each. Prints JSON. Returns the exit code: 1 on an
/// error.
int run_http_bench(const HttpBench& options);

struct ConstantBench {
  std::uint16_t port = 0;
  std::size_t bytes = 700;  // size of each response body
};

/// Answers every request immediately with 201 and a constant body. A benchmark of this server measures only the network
/// and the HTTP implementation. Prints the port. Serves until SIGTERM or SIGINT. Returns the exit code.
int run_constant_bench(const ConstantBench& options);

}  // namespace finality::bench
