// Responses of one connection: added in any order from any thread, taken in the order of their requests.
//
// Decouples handlers, which may respond late, from the connection, which may be closed by then. After close(), added
// responses have no effect, and the queue calls neither `wake` nor `lost` again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "base/net/http_message.h"

namespace finality::net {

/// How to write the response to one request, and the response itself once it is ready.
struct QueuedResponse {
  bool close = false;        // the last response on its connection
  bool head_only = false;    // response to a HEAD request
  bool version_1_0 = false;  // the response must state explicitly that the connection stays open
  std::size_t request_bytes = 0;
  bool ready = false;
  HttpResponse response = {};
};

/// Thread safe.
class ResponseQueue {
 public:
  /// `wake` makes the connection call take(). `lost` creates the response to a request that its handler left
  /// unanswered. Both are called with the queue locked and must not call it.
  ResponseQueue(std::function<void()> wake, std::function<HttpResponse()> lost);

  /// Reserves the next place for the response to a request; returns the place's number for put() and abandon().
  std::uint64_t open(QueuedResponse place);
  /// Adds the response for the place with that number; only the first response for a place has an effect. Wakes the
  /// connection if the oldest request now has its response.
  void put(std::uint64_t number, HttpResponse response);
  /// Reports that no response will be added for the place with that number.
  void abandon(std::uint64_t number);

  /// Suppresses wake() until the next take(), because the connection is about to call it.
  void hold();
  /// Appends up to `count_max` responses that are next in order. Enables wake() again only if it appended none.
  void take(std::vector<QueuedResponse>& due, std::size_t count_max);

  bool empty() const;
  /// True if no further request may be read until responses are taken: there are too many requests, or they are too
  /// large.
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
