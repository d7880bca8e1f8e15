// Responses of one connection: added in any order from any thread, taken in the order of their requests.
//
// A handler may respond after its connection has closed. After close(), added responses therefore have no effect, and
// the queue calls neither `wake` nor `lost` again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "base/net/http_message.h"

namespace finality::net {

/// The response to one request once it is ready, and the way in which the connection must write it.
struct QueuedResponse {
  bool close = false;        // the connection closes after this response
  bool head_only = false;    // response to a HEAD request
  bool version_1_0 = false;  // request of HTTP/1.0: the response must contain "Connection: keep-alive" to stay open
  std::size_t request_bytes = 0;
  bool ready = false;
  HttpResponse response = {};
};

/// Thread safe.
class ResponseQueue {
 public:
  /// `wake` makes the connection call take(). `lost` creates the response to a request that its handler left
  /// unanswered. Both run with the queue locked and must not call the queue.
  ResponseQueue(std::function<void()> wake, std::function<HttpResponse()> lost);

  /// Reserves the next place for the response to a request. Returns the sequence number of the place, for put() and
  /// abandon().
  std::uint64_t open(QueuedResponse place);
  /// Stores the response of a place; only the first response for a place has an effect. Calls `wake` if the response of
  /// the oldest request is ready.
  void put(std::uint64_t number, HttpResponse response);
  /// Reports that the handler will not respond; `lost` then creates the response. No effect if a response is stored.
  void abandon(std::uint64_t number);

  /// Suppresses `wake` until the next take(). For a connection that is about to call take().
  void hold();
  /// Moves up to `count_max` ready responses, in request order, to the end of `due`. Enables `wake` again only if it
  /// moved none.
  void take(std::vector<QueuedResponse>& due, std::size_t count_max);

  bool empty() const;
  /// True if no further request may be read until responses are taken: at least `count_max` responses are outstanding,
  /// or the bodies of their requests exceed `bytes_max` in total.
  bool full(std::size_t count_max, std::size_t bytes_max) const;
  void close();

 private:
  QueuedResponse* waiting(std::uint64_t number);
  void fill(QueuedResponse& place, HttpResponse response);

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::function<HttpResponse()> lost_;
  std::deque<QueuedResponse> responses_;
  std::uint64_t first_number_ = 0;
  std::size_t request_bytes_ = 0;
  bool held_ = false;
  bool closed_ = false;
};

}  // namespace finality::net
