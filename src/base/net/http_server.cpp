// A Listener takes connections in and knows which are open; a Connection reads requests, keeps the places of their
// answers in an AnswerQueue, and writes those that are due in one gathered write.
//
// Everything of a Connection runs on its own executor: a strand, or the bare pool when that has one thread. Only the
// AnswerQueue is touched from other threads. The Connection's state moves in one place, advance(); every event (bytes
// read, answer put, write done) records itself and calls it.

#include "base/net/http_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>

#include "base/net/answer_queue.h"
#include "base/net/request_reader.h"
#include "base/net/response_head.h"

namespace finality::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Instant = std::chrono::steady_clock::time_point;

constexpr std::size_t kPipelineMax = 64;    // requests of one connection that wait for their answers
constexpr std::size_t kWriteBatchMax = 32;  // answers in one write; two buffers each stay far below IOV_MAX
constexpr std::size_t kReadBufferSpare = 4 << 10;
constexpr std::size_t kDiscardedBytesMax = 8 << 20;  // read behind the last request, so the client gets to its answer
constexpr Duration kLingerMax{2'000};
constexpr Duration kAcceptRetry{100};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

Instant now() { return std::chrono::steady_clock::now(); }

asio::any_io_executor make_executor(IoPool& io) {
  if (io.threads() == 1) return io.context().get_executor();
  return asio::make_strand(io.context());
}

HttpResponse make_refusal(const ServerOptions& options, int status, const HttpRequest& request) {
  if (options.refuse) {
    try {
      return options.refuse(status, request);
    } catch (...) {
      // The bare status below is the answer left to give.
    }
  }
  HttpResponse bare;
  bare.status = status;
  return bare;
}

/// What one `respond` and its copies share: the place of the answer, given up when nobody can fill it any more.
class Ticket {
 public:
  Ticket(std::shared_ptr<AnswerQueue> answers, std::uint64_t number) : answers_(std::move(answers)), number_(number) {}
  ~Ticket() {
    if (!used_) answers_->abandon(number_);
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  void answer(HttpResponse response) {
    if (!used_.exchange(true)) answers_->put(number_, std::move(response));
  }
  void abandon() {
    if (!used_.exchange(true)) answers_->abandon(number_);
  }

 private:
  std::shared_ptr<AnswerQueue> answers_;
  std::uint64_t number_;
  std::atomic<bool> used_ = false;
};

/// The buffers of one write, owned by the connection.
struct GatherView {
  using value_type = asio::const_buffer;
  using const_iterator = const asio::const_buffer*;
  const_iterator first;
  const_iterator last;
  const_iterator begin() const { return first; }
  const_iterator end() const { return last; }
};

class Connection;

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(IoPool& io, ServerOptions options, Handler handler)
      : io_(io),
        executor_(make_executor(io)),
        acceptor_(executor_),
        retry_(executor_),
        options_(std::move(options)),
        handler_(std::move(handler)) {}

  /// Empty when it listens.
  error_code bind(const tcp::endpoint& endpoint);
  void start();
  void stop();
  void drain(Duration patience, std::function<void()> done);

  std::uint16_t port() const { return port_; }
  const ServerOptions& options() const { return options_; }

  /// Runs the handler, unless the server has been destroyed; then the request goes without an answer.
  void handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket);
  /// A connection has closed: its place is free.
  void release(Connection* connection);
  /// The same without taking in the next one; for a connection that ends with the pool.
  void forget(Connection* connection);

 private:
  using DrainDone = std::shared_ptr<std::function<void()>>;

  void accept();
  void on_accept(const error_code& error, tcp::socket socket);
  void admit(tcp::socket socket);
  void close_acceptor();
  void finish_drain(const DrainDone& done);
  std::vector<std::shared_ptr<Connection>> open_connections();

  IoPool& io_;
  asio::any_io_executor executor_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  std::uint16_t port_ = 0;
  const ServerOptions options_;
  const Handler handler_;

  std::atomic<bool> open_ = true;
  std::atomic<int> handlers_running_ = 0;

  std::mutex mutex_;
  std::unordered_map<Connection*, std::weak_ptr<Connection>> connections_;
  std::vector<DrainDone> drains_;
  bool draining_ = false;
  bool accept_paused_ = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Listener> listener, tcp::socket socket)
      : listener_(std::move(listener)),
        options_(listener_->options()),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        reader_(options_.header_bytes_max, options_.body_bytes_max),
        buffer_bytes_max_(options_.header_bytes_max + kReadBufferSpare),
        buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes_max_)) {}
  ~Connection();

  /// To be called first, and once.
  void prepare();
  void start();
  /// Thread safe.
  void drain();
  /// Cuts it off from its handlers at once, and closes it soon. Thread safe.
  void abort();

 private:
  enum class Input {
    kRequests,
    kDiscard,  // the last request has been read; what follows is thrown away
    kEnded,    // nothing more is read
  };

  void advance();
  void read_requests();
  void dispatch();
  void refuse(int status);
  void read_more();
  void on_read(const error_code& error, std::size_t bytes);

  void write_due();
  void compose_due();
  void write(GatherView buffers);
  void on_written(const error_code& error);
  bool is_last(const Answer& answer, bool behind_all) const;
  bool send_continue();
  void linger();
  void close();

  void watch();
  void on_tick();
  Instant read_deadline() const;
  Instant write_deadline() const;

  const std::shared_ptr<Listener> listener_;
  const ServerOptions& options_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  std::string peer_;
  std::shared_ptr<AnswerQueue> answers_;

  RequestReader reader_;
  const std::size_t buffer_bytes_max_;
  const std::unique_ptr<char[]> buffer_;
  std::size_t filled_ = 0;
  std::size_t discarded_bytes_ = 0;
  Input input_ = Input::kRequests;
  bool reading_ = false;
  bool paused_ = false;  // too many requests wait for answers to look at what is buffered

  std::vector<Answer> due_;
  std::string heads_;
  std::vector<std::size_t> head_ends_;
  std::vector<asio::const_buffer> buffers_;
  bool writing_ = false;

  bool continue_sent_ = false;  // for the request being read
  bool draining_ = false;
  bool closing_ = false;    // the last answer is being written
  bool lingering_ = false;  // it has been written; the client may take its time to read it
  bool closed_ = false;
  Instant request_started_;
  Instant write_started_;
  Instant idle_since_;
  Instant linger_until_;
};

// ---- Listener

error_code Listener::bind(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  return error;
}

void Listener::start() {
  asio::post(executor_, [self = shared_from_this()] { self->accept(); });
}

void Listener::accept() {
  if (!acceptor_.is_open()) return;
  {
    const std::lock_guard lock(mutex_);
    accept_paused_ = connections_.size() >= options_.connections_max;
    if (accept_paused_) return;
  }
  acceptor_.async_accept(make_executor(io_), [self = shared_from_this()](const error_code& error, tcp::socket socket) {
    self->on_accept(error, std::move(socket));
  });
}

void Listener::on_accept(const error_code& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (error && error != asio::error::connection_aborted) {
    // Out of descriptors or memory: the next accept would fail at once again.
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait([self = shared_from_this()](const error_code& cancelled) {
      if (!cancelled) self->accept();
    });
    return;
  }
  if (!error) admit(std::move(socket));
  accept();
}

void Listener::admit(tcp::socket socket) {
  const asio::any_io_executor executor = socket.get_executor();
  std::shared_ptr<Connection> connection;
  {
    const std::lock_guard lock(mutex_);
    if (!open_ || draining_) return;
    connection = std::make_shared<Connection>(shared_from_this(), std::move(socket));
    connection->prepare();
    connections_.emplace(connection.get(), connection);
  }
  asio::dispatch(executor, [connection] { connection->start(); });
}

void Listener::handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) {
  ++handlers_running_;
  if (open_) {
    try {
      handler_(std::move(request), [ticket](HttpResponse response) { ticket->answer(std::move(response)); });
    } catch (...) {
      ticket->abandon();
    }
  }
  if (--handlers_running_ == 0 && !open_) handlers_running_.notify_all();
}

void Listener::release(Connection* connection) {
  bool resume = false;
  std::vector<DrainDone> drained;
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    resume = std::exchange(accept_paused_, false);
    if (connections_.empty() && draining_) drained = std::exchange(drains_, {});
  }
  if (resume && open_) start();
  for (const DrainDone& done : drained) (*done)();
}

void Listener::forget(Connection* connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
}

std::vector<std::shared_ptr<Connection>> Listener::open_connections() {
  std::vector<std::shared_ptr<Connection>> open;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, weak] : connections_) {
    if (auto connection = weak.lock()) open.push_back(std::move(connection));
  }
  return open;
}

void Listener::drain(Duration patience, std::function<void()> done) {
  const auto waiting = std::make_shared<std::function<void()>>(std::move(done));
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    drains_.push_back(waiting);
  }
  close_acceptor();
  for (const auto& connection : open_connections()) connection->drain();
  asio::post(executor_, [self = shared_from_this(), waiting] {
    bool empty = false;
    {
      const std::lock_guard lock(self->mutex_);
      empty = self->connections_.empty();
    }
    if (empty) self->finish_drain(waiting);
  });
  io_.after(patience, [self = shared_from_this(), waiting] { self->finish_drain(waiting); });
}

void Listener::finish_drain(const DrainDone& done) {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(drains_, done) == 0) return;
  }
  (*done)();
}

void Listener::close_acceptor() {
  asio::post(executor_, [self = shared_from_this()] {
    error_code ignored;
    self->acceptor_.close(ignored);
    self->retry_.cancel();
  });
}

void Listener::stop() {
  open_ = false;
  close_acceptor();
  for (const auto& connection : open_connections()) connection->abort();
  while (const int running = handlers_running_) handlers_running_.wait(running);
}

// ---- Connection

Connection::~Connection() {
  answers_->close();
  listener_->forget(this);
}

void Connection::prepare() {
  const std::weak_ptr<Connection> weak = weak_from_this();
  answers_ = std::make_shared<AnswerQueue>(
      [weak] {
        // The executor is not kept here: handlers that never answer would keep it beyond the pool. And the connection
        // is handed on whole: if it ended here, it would close the queue that is locked for this call.
        auto self = weak.lock();
        if (!self) return;
        const asio::any_io_executor executor = self->socket_.get_executor();
        asio::post(executor, [self = std::move(self)] { self->advance(); });
      },
      [listener = listener_.get()] { return make_refusal(listener->options(), 500, {}); });
}

void Connection::start() {
  if (closed_) return;
  error_code error;
  socket_.set_option(tcp::no_delay(true), error);
  asio::ip::address peer = socket_.remote_endpoint(error).address();
  if (peer.is_v6() && peer.to_v6().is_v4_mapped()) {
    peer = asio::ip::make_address_v4(asio::ip::v4_mapped, peer.to_v6());
  }
  peer_ = peer.to_string();
  idle_since_ = now();
  watch();
  advance();
}

void Connection::drain() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->draining_ = true;
    self->advance();
  });
}

void Connection::abort() {
  answers_->close();
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

void Connection::advance() {
  if (closed_ || lingering_) return;
  answers_->hold();
  read_requests();
  write_due();
  if (closed_) return;
  if (!writing_ && answers_->empty()) {
    const bool idle = !reader_.started() && filled_ == 0;
    if (input_ == Input::kEnded || (draining_ && idle)) return close();
  }
  read_more();
}

void Connection::read_requests() {
  // While a read is under way, what is buffered has been looked at and must stay where it is.
  if (reading_) return;
  std::size_t used = 0;
  const auto full = [&] { return answers_->full(kPipelineMax, options_.body_bytes_max); };
  while (input_ == Input::kRequests && used < filled_ && !full()) {
    if (!reader_.started()) request_started_ = now();
    used += reader_.read({buffer_.get() + used, filled_ - used});
    if (reader_.state() == RequestReader::State::kComplete) {
      dispatch();
    } else if (reader_.state() == RequestReader::State::kRefused) {
      refuse(reader_.refusal());
    } else if (used == 0 && filled_ == buffer_bytes_max_) {
      refuse(400);
    } else {
      break;
    }
  }
  paused_ = full();
  if (input_ != Input::kRequests) used = filled_;
  if (used > 0 && used < filled_) std::memmove(buffer_.get(), buffer_.get() + used, filled_ - used);
  filled_ -= used;
}

void Connection::dispatch() {
  ReadRequest read = reader_.take();
  continue_sent_ = false;
  Answer place;
  place.close = !read.keep_alive;
  place.head_only = read.request.method == "HEAD";
  place.version_1_0 = read.version_1_0;
  place.request_bytes = read.request.body.size();
  if (place.close) input_ = Input::kDiscard;
  read.request.peer = peer_;
  const auto ticket = std::make_shared<Ticket>(answers_, answers_->open(std::move(place)));
  listener_->handle(std::move(read.request), ticket);
}

void Connection::refuse(int status) {
  input_ = Input::kDiscard;
  Answer place;
  place.close = true;
  place.head_only = reader_.partial().method == "HEAD";
  const std::uint64_t number = answers_->open(std::move(place));
  answers_->put(number, make_refusal(options_, status, reader_.partial()));
}

void Connection::read_more() {
  if (reading_ || closed_ || input_ == Input::kEnded) return;
  if (input_ == Input::kRequests && (paused_ || (draining_ && !reader_.started()))) return;
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(buffer_.get() + filled_, buffer_bytes_max_ - filled_),
      [self = shared_from_this()](const error_code& error, std::size_t bytes) { self->on_read(error, bytes); });
}

void Connection::on_read(const error_code& error, std::size_t bytes) {
  reading_ = false;
  if (closed_) return;
  if (error && error != asio::error::eof) return close();
  if (input_ == Input::kDiscard) {
    discarded_bytes_ += bytes;
  } else {
    filled_ += bytes;
  }
  if (error || discarded_bytes_ > kDiscardedBytesMax) {
    input_ = Input::kEnded;
    if (lingering_) return close();
  }
  if (lingering_) return read_more();
  advance();
}

void Connection::write_due() {
  if (writing_) return;
  due_.clear();
  answers_->take(due_, kWriteBatchMax);
  if (due_.empty() && !send_continue()) return;
  if (!due_.empty()) compose_due();
  write({buffers_.data(), buffers_.data() + buffers_.size()});
}

bool Connection::send_continue() {
  // Answers go first: to the client, this line belongs to the request it has sent last.
  if (continue_sent_ || !reader_.expects_continue() || !answers_->empty()) return false;
  continue_sent_ = true;
  buffers_.assign(1, asio::buffer(kContinue));
  return true;
}

bool Connection::is_last(const Answer& answer, bool behind_all) const {
  if (answer.close || equals_ignoring_case(answer.response.headers.get("Connection"), "close")) return true;
  return draining_ && behind_all && !reader_.started() && filled_ == 0 && answers_->empty();
}

void Connection::compose_due() {
  heads_.clear();
  head_ends_.clear();
  for (std::size_t i = 0; i < due_.size() && !closing_; ++i) {
    closing_ = is_last(due_[i], i + 1 == due_.size());
    append_response_head(heads_, due_[i].response, {.close = closing_, .keep_alive = due_[i].version_1_0});
    head_ends_.push_back(heads_.size());
  }
  if (closing_ && input_ == Input::kRequests) input_ = Input::kDiscard;
  buffers_.clear();
  std::size_t start = 0;
  for (std::size_t i = 0; i < head_ends_.size(); ++i) {
    buffers_.push_back(asio::buffer(heads_.data() + start, head_ends_[i] - start));
    start = head_ends_[i];
    const HttpResponse& response = due_[i].response;
    const bool body = !due_[i].head_only && status_allows_body(response.status) && !response.body.empty();
    if (body) buffers_.push_back(asio::buffer(response.body));
  }
}

void Connection::write(GatherView buffers) {
  writing_ = true;
  write_started_ = now();
  asio::async_write(socket_, buffers,
                    [self = shared_from_this()](const error_code& error, std::size_t) { self->on_written(error); });
}

void Connection::on_written(const error_code& error) {
  writing_ = false;
  if (closed_) return;
  if (error) return close();
  idle_since_ = now();
  if (closing_) return linger();
  advance();
}

void Connection::linger() {
  // Closing with unread input would reset the connection, and the reset may overtake the answer.
  answers_->close();
  error_code error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error || input_ == Input::kEnded) return close();
  lingering_ = true;
  input_ = Input::kDiscard;
  filled_ = 0;
  linger_until_ = now() + kLingerMax;
  watch();
  read_more();
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  answers_->close();
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  listener_->release(this);
}

Instant Connection::read_deadline() const {
  if (lingering_) return linger_until_;
  if (input_ == Input::kRequests && reader_.started()) return request_started_ + options_.request_timeout;
  if (!writing_ && answers_->empty()) return idle_since_ + options_.idle_timeout;
  return Instant::max();
}

Instant Connection::write_deadline() const {
  return writing_ ? write_started_ + options_.idle_timeout : Instant::max();
}

void Connection::watch() {
  // Deadlines move with every request, so the timer is not moved with them: it looks often enough that none that is
  // set in the meantime can be missed.
  const Instant next_look = now() + std::min(options_.idle_timeout, options_.request_timeout);
  timer_.expires_at(std::min({read_deadline(), write_deadline(), next_look}));
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && !self->closed_) self->on_tick();
  });
}

void Connection::on_tick() {
  const Instant at = now();
  if (at >= write_deadline()) return close();
  if (at >= read_deadline()) {
    if (lingering_ || !reader_.started()) return close();
    refuse(408);
    advance();
  }
  if (!closed_ && !lingering_) watch();
}

class Server final : public HttpServer {
 public:
  explicit Server(std::shared_ptr<Listener> listener) : listener_(std::move(listener)) {}
  ~Server() override { listener_->stop(); }

  std::uint16_t port() const override { return listener_->port(); }
  void drain(Duration patience, std::function<void()> done) override { listener_->drain(patience, std::move(done)); }

 private:
  std::shared_ptr<Listener> listener_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(IoPool& io, ServerOptions options, Handler handler) {
  const std::string place = options.address + " port " + std::to_string(options.port);
  error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) return fail("cannot listen on " + place + ": not an IPv4 or IPv6 address");
  const tcp::endpoint endpoint(address, options.port);
  auto listener = std::make_shared<Listener>(io, std::move(options), std::move(handler));
  if (error = listener->bind(endpoint); error) {
    return fail("cannot listen on " + place + ": " + error.message() + "; free the port or choose another");
  }
  listener->start();
  return std::make_unique<Server>(std::move(listener));
}

}  // namespace finality::net
