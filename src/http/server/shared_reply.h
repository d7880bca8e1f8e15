// One reply for many requests, computed on a separate thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/time/time.h"
#include "http/server/exchange.h"

namespace finality::http {

/// Answers requests whose reply is the same for all clients. All requests that wait when a computation begins get its
/// result, so that the cost does not grow with the number of requests. Thread safe.
class SharedReply {
 public:
  /// Computes the reply. Runs on the thread of this object; may block.
  using Make = std::function<HttpReply()>;

  /// `kept`: for this time on the steady clock after a computation began, further requests get its result. If 0, each
  /// request gets a result whose computation began after the request arrived.
  SharedReply(Duration kept, Make make);
  /// Waits for a running computation. Requests that still wait get no answer from this object.
  ~SharedReply();

  /// Answers the exchange as soon as the reply is computed. Refuses with `busy` if limits::kReadsWaitingMax requests
  /// wait.
  void answer(HttpExchangePtr exchange);

 private:
  void run();

  const Duration kept_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HttpExchangePtr> waiting_;
  bool stopping_ = false;
  std::jthread thread_;
};

}  // namespace finality::http
