// Responses of one connection: added in any order from any thread, taken in the order of their requests. Counts the
// memory of the connection's requests and unsent responses.
//
// A handler may respond after its connection has closed. After close(), added responses therefore have no effect, and
// the queue calls neither `wake` nor `lost` nor the budget again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/limits.h"
#include "base/net/http_message.h"
#include "base/net/server/byte_budget.h"

namespace finality::net {

/// The response to one request once it is ready, and the way in which the connection must write it.
struct QueuedResponse {
  bool close = false;        // the connection closes after this response
  bool head_only = false;    // response to a HEAD request
  bool version_1_0 = false;  // request of HTTP/1.0: the response must contain "Connection: keep-alive" to stay open
  std::size_t bytes = 0;     // memory of the request; of the response too, once it is ready
  bool ready = false;
  HttpResponse response = {};
};

/// Whether a connection may read a further request.
enum class Room {
  free,
  until_sent,      // not before the connection has sent responses
  until_released,  // not before connections of the client, or others, have released memory
};

/// Thread safe.
class ResponseQueue {
 public:
  /// `wake` makes the connection call take(). `lost` creates the response to a request that its handler left
  /// unanswered. Both run with the queue locked and must not call the queue. `bytes_max` limits the memory of the
  /// connection. `budget` must outlive close().
  ResponseQueue(std::function<void()> wake, std::function<HttpResponse()> lost, ByteBudget& budget,
                std::shared_ptr<ClientBytes> client, std::size_t bytes_max);

  /// Reserves the next place for the response to a request; counts the memory of its body as `place.bytes` from now on.
  /// Returns the sequence number of the place, for put() and abandon().
  std::uint64_t open(QueuedResponse place);
  /// Stores the response of a place; only the first response for a place has an effect. Calls `wake` if the response of
  /// the oldest request is ready.
  void put(std::uint64_t number, HttpResponse response);
  /// Reports that the handler will not respond; `lost` then creates the response. No effect if a response is stored.
  void abandon(std::uint64_t number);

  /// Suppresses `wake` until the next take(). For a connection that is about to call take(). With `sent`, all responses
  /// taken before have been sent, and their memory is released.
  void hold(bool sent);
  /// Moves up to `count_max` ready responses, in request order, to the end of `due`. Enables `wake` again only if it
  /// moved none.
  void take(std::vector<QueuedResponse>& due, std::size_t count_max);

  /// Counts the body that the connection is about to receive. Returns false, and counts nothing, if the budgets are
  /// exhausted.
  bool reserve_body(std::size_t bytes);
  /// Counts the body in progress as `bytes`, rounded up to limits::kBytesUnit, if that is more than before. Without
  /// rounding, the budget would not count short bodies, and a client could hold one on each connection.
  void grow_body(std::size_t bytes);

  bool empty() const;
  /// The number of requests without a response.
  std::size_t unready() const;
  /// Decides by the number of requests without a response, by the memory of the connection and the memory that these
  /// responses are expected to need, and by the budgets.
  Room room() const;
  /// The counted memory of the connection, in units of limits::kBytesUnit.
  std::size_t charged() const;
  void close();

 private:
  QueuedResponse* waiting(std::uint64_t number);
  void fill(QueuedResponse& place, HttpResponse response);
  void charge();

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::function<HttpResponse()> lost_;
  ByteBudget& budget_;
  const std::shared_ptr<ClientBytes> client_;
  const std::size_t bytes_max_;
  std::deque<QueuedResponse> responses_;
  std::uint64_t first_number_ = 0;
  std::size_t unready_ = 0;      // places without a response
  std::size_t bytes_ = 0;        // of requests, of responses until they are sent, and of the body being received
  std::size_t taken_bytes_ = 0;  // the part of responses that were taken and are not sent
  std::size_t body_bytes_ = 0;   // the part of the body being received
  std::size_t charged_ = 0;      // the part that the budget counts
  std::size_t expected_bytes_ = limits::kExpectedResponseBytes;  // of the next response: follows the last ones
  bool held_ = false;
  bool closed_ = false;
};

}  // namespace finality::net
