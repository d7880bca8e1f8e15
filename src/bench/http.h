// finality bench http: a running server over the network, on this machine. Not for users: tools/bench calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace finality::bench {

struct HttpBench {
  std::string url;  // of the server, without a path
  std::string key;  // a merchant's secret key
  std::size_t connections = 64;
  double rate = 1000;         // orders: requests a second, sent when they are due, whatever is still unanswered
  double seconds = 10;        // orders: how long
  std::size_t payments = 0;   // other than 0: whole payments instead, so many
  std::size_t clients = 256;  // payments: so many under way
};

/// Orders at a fixed rate: latency from the instant each was due, so that a server that stalls is not spared the
/// requests it kept waiting. Or whole payments over the sandbox, until a merchant's server of our own has been notified
/// of each. Prints JSON. Answers with the exit code.
int run_http_bench(const HttpBench& options);

struct ConstantBench {
  std::uint16_t port = 0;
  std::size_t bytes = 700;  // of each answer's body
};

/// Answers every request at once, with 201 and the same body: what the network, the reading and the writing of HTTP
/// cost without what Finality is there for. Serves until a signal comes; prints the port. Answers with the exit code.
int run_constant_bench(const ConstantBench& options);

}  // namespace finality::bench
