// finality bench http: benchmarks of a running server over HTTP on this machine. An internal command of tools/bench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace finality::bench {

struct HttpBench {
  std::string url;  // of the server, without a path
  std::string key;  // a merchant's secret key
  std::size_t connections = 64;
  double rate = 1000;         // orders: requests per second, sent on schedule even if earlier requests have no response
  double seconds = 10;        // orders: duration
  std::size_t payments = 0;   // nonzero: measures this number of complete payments instead
  std::size_t clients = 256;  // payments: number of payments in flight
};

/// Measures orders at a fixed rate, with latency from the scheduled instant of each request, so that a stalled server
/// is charged for the requests it delayed. Or measures complete payments over the sandbox, until the benchmark's
/// merchant server has been notified of each. Prints JSON. Returns the exit code.
int run_http_bench(const HttpBench& options);

struct ConstantBench {
  std::uint16_t port = 0;
  std::size_t bytes = 700;  // of each response body
};

/// Answers every request immediately with 201 and a constant body. This measures the network and the HTTP parsing
/// without Finality's own work. Serves until a signal arrives; prints the port. Returns the exit code.
int run_constant_bench(const ConstantBench& options);

}  // namespace finality::bench
