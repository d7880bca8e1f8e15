// Counts the memory that the requests and the unsent responses of a server occupy, against limits per client and per
// server.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace finality::net {

/// The bytes of one client, shared by its connections.
struct ClientBytes {
  std::atomic<std::size_t> used{0};
  bool is_limited = true;  // false for a trusted proxy, which forwards the requests of many clients
  /// One of the connections has ended its input and still waits for its response (Connection::on_end_of_input()).
  std::atomic<bool> has_half_closed{false};
};

/// Thread safe. Totals may exceed their limits: memory is counted after it was allocated. The limits decide which
/// connections may read further requests, and which connections the server closes.
class ByteBudget {
 public:
  /// Calls `on_change` when a total passes its limit, in either direction, or exceeds twice its limit. The function
  /// runs on any thread, inside add() and remove(), and must not block or call the budget.
  ByteBudget(std::size_t client_max, std::size_t server_max, std::function<void()> on_change)
      : client_max_(client_max), server_max_(server_max), on_change_(std::move(on_change)) {}

  void add(ClientBytes& client, std::size_t bytes);
  void remove(ClientBytes& client, std::size_t bytes);

  /// True if `bytes` more of the client are within both limits. A client with less than limits::kClientBytesShare fits
  /// even if others have exhausted the server's limit.
  bool fits(const ClientBytes& client, std::size_t bytes) const;
  /// True if the total of the client or of the server exceeds `times` its limit.
  bool exceeds(const ClientBytes& client, std::size_t times) const;
  /// True if the total of the server or of any client exceeds its limit.
  bool is_exceeded() const { return server_ > server_max_ || clients_over_ > 0; }
  std::size_t used() const { return server_; }

 private:
  const std::size_t client_max_;
  const std::size_t server_max_;
  const std::function<void()> on_change_;
  std::atomic<std::size_t> server_{0};
  std::atomic<int> clients_over_{0};  // clients whose total exceeds client_max_
};

}  // namespace finality::net
