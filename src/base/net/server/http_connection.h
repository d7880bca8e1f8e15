// One server connection: reads requests, reserves the places of their responses in a ResponseQueue, and writes
// completed responses in one gathered write.
//
// All methods of a Connection run on its executor: a strand, or the pool itself if it has one thread. Other threads
// access only the ResponseQueue. Each event (bytes read, response added, write finished) calls advance(), which starts
// the next step.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "base/net/http_server.h"
#include "base/net/server/byte_budget.h"
#include "base/net/server/request_reader.h"
#include "base/net/server/response_queue.h"

namespace finality::net {

namespace asio = boost::asio;

/// The reserved place of one response, shared by all copies of the handler's `respond`. If the last copy is destroyed
/// without a response, abandons the place.
class Ticket {
 public:
  Ticket(std::shared_ptr<ResponseQueue> responses, std::uint64_t number)
      : responses_(std::move(responses)), number_(number) {}
  ~Ticket() {
    if (!used_) responses_->abandon(number_);
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  /// Adds the response unless the place has a response or was abandoned.
  void respond(HttpResponse response) {
    if (!used_.exchange(true)) responses_->put(number_, std::move(response));
  }
  /// Reports that no response will be added; the client then receives 500. No effect if the place has a response.
  void abandon() {
    if (!used_.exchange(true)) responses_->abandon(number_);
  }

 private:
  std::shared_ptr<ResponseQueue> responses_;
  std::uint64_t number_;
  std::atomic<bool> used_ = false;
};

class Connection;

/// Interface of the server for its connections. Outlives the connections. Thread safe.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;

  virtual const ServerOptions& options() const = 0;
  virtual ByteBudget& budget() = 0;
  /// Returns the response that rejects a request (ServerOptions::refuse); only the status if the server has been
  /// destroyed.
  virtual HttpResponse refusal(int status, std::string_view reason, const HttpRequest& request) = 0;
  /// Returns BodyRules::bytes_max() of the request; 0 if there are no rules or the server has been destroyed.
  virtual std::size_t body_bytes_max(const HttpRequest& head) = 0;
  /// Whether the server drains. Connections learn it from drain() later.
  virtual bool is_draining() const = 0;
  /// Runs the handler. If the server has been destroyed, the request remains without a response.
  virtual void handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) = 0;
  /// Asks for the permit of a body (BodyRules::permit). If the server has been destroyed, nothing happens.
  virtual void ask_permit(HttpRequest head, BodyRules::Done done) = 0;
  /// Calls resume() of the connection when the budgets may allow another request.
  virtual void await_release(std::weak_ptr<Connection> connection) = 0;
  /// Counts a body that was rejected because the budgets are exhausted.
  virtual void count_rejected_body() = 0;
  /// Reports that a connection that evict() should have closed has become active.
  virtual void keep(Connection* connection) = 0;
  /// Reports that a connection has closed, so that the server can accept another connection.
  virtual void release(Connection* connection) = 0;
  /// Like release(), but accepts no further connection. Called when a connection is destroyed together with the pool.
  virtual void remove(Connection* connection) = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  enum class Phase {
    idle,       // no byte of a request has been read since the last response was sent
    receiving,  // the only request in progress is incomplete
    busy,       // a request is being handled, or a response is being sent
  };
  /// Orders connections by how useful it is to close them for others: the least value is the first to close.
  struct Inactivity {
    Phase phase = Phase::busy;
    Instant since{};
    auto operator<=>(const Inactivity&) const = default;
  };

  /// `peer` is the address of the client, or of the trusted proxy if `is_proxy`.
  Connection(std::shared_ptr<ConnectionHost> host, asio::ip::tcp::socket socket, std::string peer, bool is_proxy);
  ~Connection();

  /// Creates the response queue. Must be called exactly once, before all other functions.
  void prepare(std::shared_ptr<ClientBytes> client);
  void start();
  asio::any_io_executor executor() { return socket_.get_executor(); }

  // These functions are thread safe.

  /// Answers received requests and then closes the connection.
  void drain();
  /// Ignores further responses immediately; closes the connection asynchronously.
  void abort();
  /// Closes the connection asynchronously, unless it has become busy, which is reported to the host.
  void evict();
  /// Reads further requests if the budgets allow it.
  void resume();
  Inactivity inactivity() const { return {phase_, since_}; }
  /// The time since which the client has neither read a part of a response nor sent a part of a body that the budget
  /// counts; the maximum if the server does not wait for the client.
  Instant waits_for_client_since() const { return std::min(write_progress_.load(), body_progress_.load()); }
  const ClientBytes& client() const { return *client_; }
  /// Memory of requests and unsent responses that the budget counts.
  std::size_t charged() const { return responses_->charged(); }

 private:
  static constexpr std::size_t kReadBufferSpare = 4 << 10;

  enum class Input {
    kRequests,
    kDiscard,  // the last request has been read; further input is discarded
    kEnded,    // no further input is read
  };

  void advance();
  void begin_drain();
  bool is_active() const;
  void read_requests();
  void count_body();
  void ask_permit();
  void on_permit(std::expected<Permit, HttpResponse> permit);
  void admit_body(Permit permit);
  void dispatch();
  std::string client_of(const HttpRequest& request) const;
  void refuse(int status);
  void refuse(HttpResponse response);
  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  void on_end_of_input();

  void write_due();
  void compose_due();
  void write();
  void on_written(const boost::system::error_code& error);
  bool is_last(const QueuedResponse& queued, bool behind_all) const;
  bool send_continue();
  void linger();
  void close();

  bool is_idle() const;
  bool has_unread_input() const;
  bool waits_for_requests() const;
  void note_phase(bool is_busy);

  void watch();
  void on_tick();
  void begin_rate_window();
  bool is_fast_enough() const;
  Instant rate_deadline() const;
  Instant read_deadline() const;
  Instant write_deadline() const;

  const std::shared_ptr<ConnectionHost> host_;
  const ServerOptions& options_;
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  const std::string peer_;
  const bool is_proxy_;
  std::shared_ptr<ClientBytes> client_;
  std::shared_ptr<ResponseQueue> responses_;
  const std::shared_ptr<std::atomic<bool>> closed_flag_ = std::make_shared<std::atomic<bool>>(false);

  RequestReader reader_;
  const std::size_t buffer_bytes_max_;
  const std::unique_ptr<char[]> buffer_;
  std::size_t filled_ = 0;
  std::size_t discarded_bytes_ = 0;
  Input input_ = Input::kRequests;
  bool reading_ = false;
  bool paused_ = false;     // a limit is reached, or a request waits for a permit: buffered input is not parsed
  bool is_asking_ = false;  // the request being read waits for a permit

  std::vector<QueuedResponse> due_;
  std::string heads_;
  std::vector<std::size_t> head_ends_;
  std::vector<asio::const_buffer> buffers_;
  bool writing_ = false;
  bool sent_ = false;  // the responses taken from the queue are sent, and their memory is still counted

  bool continue_sent_ = false;  // "100 Continue" was sent for the request being read
  bool draining_ = false;
  bool closing_ = false;         // the last response is being written
  bool evicting_ = false;        // the pending read was cancelled by evict()
  bool is_half_closed_ = false;  // the client has ended its input and may wait for a response
  bool lingering_ = false;       // the last response is written; the close waits until the client has read it
  bool closed_ = false;
  Instant request_started_;
  Instant rate_window_start_;   // of the minimum rate of a large body
  std::size_t rate_bytes_ = 0;  // received since then
  Instant idle_since_ = std::chrono::steady_clock::now();
  Instant linger_until_;
  Instant drain_until_;

  // Written on the executor, read by the host on any thread.
  std::atomic<Phase> phase_ = Phase::idle;
  std::atomic<Instant> since_ = std::chrono::steady_clock::now();
  std::atomic<Instant> write_progress_ = Instant::max();
  std::atomic<Instant> body_progress_ = Instant::max();
};

}  // namespace finality::net
