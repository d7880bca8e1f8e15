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

#include <atomic>
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "base/net/http_server.h"
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
  /// Runs the handler. If the server has been destroyed, the request remains without a response.
  virtual void handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) = 0;
  /// Asks for the permit of a large body (LargeBodies::permit). If the server has been destroyed, nothing happens.
  virtual void ask_permit(HttpRequest head, LargeBodies::Done done) = 0;
  /// Reports that a connection has closed, so that the server can accept another connection.
  virtual void release(Connection* connection) = 0;
  /// Like release(), but accepts no further connection. Called when a connection is destroyed together with the pool.
  virtual void remove(Connection* connection) = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ConnectionHost> host, asio::ip::tcp::socket socket)
      : host_(std::move(host)),
        options_(host_->options()),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        reader_(options_.header_bytes_max, options_.body_bytes_max, options_.large_bodies.bytes_max),
        buffer_bytes_max_(options_.header_bytes_max + kReadBufferSpare),
        buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes_max_)) {}
  ~Connection();

  /// Creates the response queue. Must be called exactly once, before all other functions.
  void prepare();
  void start();
  /// Answers received requests and then closes the connection. Thread safe.
  void drain();
  /// Ignores further responses immediately; closes the connection asynchronously. Thread safe.
  void abort();

 private:
  using Instant = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kReadBufferSpare = 4 << 10;

  enum class Input {
    kRequests,
    kDiscard,  // the last request has been read; further input is discarded
    kEnded,    // no further input is read
  };

  void advance();
  void read_requests();
  void ask_permit();
  void on_permit(std::expected<Permit, HttpResponse> permit);
  void dispatch();
  void refuse(int status);
  void refuse(HttpResponse response);
  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t bytes);

  void write_due();
  void compose_due();
  void write();
  void on_written(const boost::system::error_code& error);
  bool is_last(const QueuedResponse& queued, bool behind_all) const;
  bool send_continue();
  void linger();
  void close();

  void watch();
  void on_tick();
  Instant read_deadline() const;
  Instant write_deadline() const;

  const std::shared_ptr<ConnectionHost> host_;
  const ServerOptions& options_;
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  std::string peer_;
  std::shared_ptr<ResponseQueue> responses_;

  RequestReader reader_;
  const std::size_t buffer_bytes_max_;
  const std::unique_ptr<char[]> buffer_;
  std::size_t filled_ = 0;
  std::size_t discarded_bytes_ = 0;
  Input input_ = Input::kRequests;
  bool reading_ = false;
  bool paused_ = false;     // too many requests wait for responses, or one for a permit: buffered input is not parsed
  bool is_asking_ = false;  // the request being read waits for a permit

  std::vector<QueuedResponse> due_;
  std::string heads_;
  std::vector<std::size_t> head_ends_;
  std::vector<asio::const_buffer> buffers_;
  bool writing_ = false;

  bool continue_sent_ = false;  // "100 Continue" was sent for the request being read
  bool draining_ = false;
  bool closing_ = false;    // the last response is being written
  bool lingering_ = false;  // the last response is written; the close waits until the client has read it
  bool closed_ = false;
  Instant request_started_;
  Instant write_started_;
  Instant idle_since_;
  Instant linger_until_;
};

}  // namespace finality::net
