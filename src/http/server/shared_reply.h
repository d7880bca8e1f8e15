// One reply for many requests, computed on a separate thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/limits.h"
#include "base/net/io_pool.h"
#include "base/time/time.h"
#include "http/server/exchange.h"

namespace finality::http {

/// Answers requests whose reply is the same for all clients. One computation at a time serves all requests that wait
/// when it ends, so that the cost does not grow with the number of requests. Thread safe.
class SharedReply {
 public:
  /// Computes the reply. Runs on the thread of this object; may block.
  using Make = std::function<HttpReply()>;

  struct Options {
    Duration kept{0};  // for this time on the steady clock after a computation began, further requests get its result
    /// Requests that can wait. Further ones get the last result at once; `busy` before the first result.
    std::size_t waiting_max = limits::kReadsWaitingMax;
    /// How long requests wait; 0: without a limit. If a computation takes longer, the requests that wait are refused
    /// with `late`, and further ones at once, until the computation ends.
    Duration wait_max{0};
    Refusal late{};
  };

  /// `io` runs at most one timer of this object at a time, and may outlive it.
  SharedReply(net::IoPool& io, Options options, Make make);
  /// Waits for a running computation. Requests that still wait get no answer from this object.
  ~SharedReply();

  /// Answers the exchange as soon as the reply is computed.
  void answer(HttpExchangePtr exchange);

 private:
  struct State;

  void run();
  static void watch(net::IoPool& io, const std::shared_ptr<State>& state, Duration delay);

  net::IoPool& io_;
  const Make make_;
  const std::shared_ptr<State> state_;
  std::jthread thread_;
};

}  // namespace finality::http
