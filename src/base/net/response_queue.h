// The answers of one connection, put in any order from any thread, taken in the order of their requests.
//
// It stands between handlers, which may answer late, and the connection, which may be gone by then: after close()
// nothing that is put has any effect, and neither of the two functions is called again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "base/net/http_message.h"

namespace finality::net {

/// How the answer to one request has to be written, and the answer once there is one.
struct QueuedResponse {
  bool close = false;        // the last on its connection
  bool head_only = false;    // to a HEAD request
  bool version_1_0 = false;  // the client has to be told that the connection stays
  std::size_t request_bytes = 0;
  bool ready = false;
  HttpResponse response = {};
};

/// Thread safe.
class ResponseQueue {
 public:
  /// `wake` tells the connection to take(); `lost` makes the answer to a request the handler left unanswered. Both are
  /// called while the queue is locked and must not call it.
  ResponseQueue(std::function<void()> wake, std::function<HttpResponse()> lost);

  /// Keeps the next place for the answer to a request just read; returns its number.
  std::uint64_t open(QueuedResponse place);
  /// The first answer put for a number counts. Wakes the connection when the oldest request now has its answer.
  void put(std::uint64_t number, HttpResponse response);
  /// Says that nobody will put an answer for this number.
  void abandon(std::uint64_t number);

  /// No wake() until the next take(): the connection is about to take anyway.
  void hold();
  /// Appends up to `count_max` answers that are due. Wakes again only if there were none.
  void take(std::vector<QueuedResponse>& due, std::size_t count_max);

  bool empty() const;
  /// Whether no further request may be read until answers have been taken: too many of them, or too large.
  bool full(std::size_t count_max, std::size_t bytes_max) const;
  void close();

 private:
  QueuedResponse* waiting(std::uint64_t number);
  void fill(QueuedResponse& place, HttpResponse response);

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::function<HttpResponse()> lost_;
  std::deque<QueuedResponse> answers_;
  std::uint64_t first_number_ = 0;
  std::size_t request_bytes_ = 0;
  bool held_ = false;
  bool closed_ = false;
};

}  // namespace finality::net
