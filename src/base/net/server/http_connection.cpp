#include "base/net/server/http_connection.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <utility>

#include <netinet/tcp.h>

#include "base/limits.h"
#include "base/net/client_address.h"
#include "base/net/server/response_head.h"

namespace finality::net {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kWriteBatchMax = 32;       // responses in one write; two buffers each stay far below IOV_MAX
constexpr std::size_t kWriteStepMax = 64 << 10;  // bytes of one system call
// Unsent bytes in the socket's buffer, beyond which the system takes no more: the memory that the kernel uses for a
// client that does not read.
using UnsentMax = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
constexpr int kUnsentBytesMax = 256 << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

auto now() { return std::chrono::steady_clock::now(); }

/// The buffers of one write, owned by the connection.
struct GatherView {
  using value_type = asio::const_buffer;
  using const_iterator = const asio::const_buffer*;
  const_iterator first;
  const_iterator last;
  const_iterator begin() const { return first; }
  const_iterator end() const { return last; }
};

}  // namespace

Connection::Connection(std::shared_ptr<ConnectionHost> host, asio::ip::tcp::socket socket, std::string peer,
                       bool is_proxy)
    : host_(std::move(host)),
      options_(host_->options()),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      peer_(std::move(peer)),
      is_proxy_(is_proxy),
      reader_({.head_bytes_max = options_.header_bytes_max,
               .body_bytes_max = options_.body_bytes_max,
               .unchecked_body_bytes_max = options_.unchecked_body_bytes_max,
               .large_bytes_max = [host = host_.get()](const HttpRequest& head) { return host->body_bytes_max(head); },
               .singleton_headers = options_.singleton_headers}),
      buffer_bytes_max_(options_.header_bytes_max + kReadBufferSpare),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes_max_)) {}

Connection::~Connection() {
  responses_->close();
  host_->remove(this);
}

void Connection::prepare(std::shared_ptr<ClientBytes> client) {
  client_ = std::move(client);
  const std::weak_ptr<Connection> weak = weak_from_this();
  responses_ = std::make_shared<ResponseQueue>(
      [weak] {
        // Does not capture the executor: a handler that never responds would keep it alive longer than the pool. Moves
        // the connection into the task: destroying it here would close the queue, which is locked during this call.
        auto self = weak.lock();
        if (!self) return;
        const asio::any_io_executor executor = self->socket_.get_executor();
        asio::post(executor, [self = std::move(self)] { self->advance(); });
      },
      [host = host_.get()] { return host->refusal(500, {}, {}); }, host_->budget(), client_,
      options_.connection_bytes_max);
}

void Connection::start() {
  if (closed_) return;
  error_code error;
  socket_.set_option(tcp::no_delay(true), error);
  socket_.set_option(UnsentMax(kUnsentBytesMax), error);
  idle_since_ = now();
  watch();
  advance();
}

void Connection::drain() {
  // advance() begins the drain.
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->advance(); });
}

void Connection::begin_drain() {
  draining_ = true;
  drain_until_ = now() + limits::kDrainIdleMax;
  watch();
}

void Connection::abort() {
  responses_->close();
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

void Connection::evict() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->is_active()) return self->host_->keep(self.get());
    if (!self->reading_ || self->lingering_) return self->close();
    // A request can be on its way to on_read(), which then keeps the connection; without one, it closes there.
    self->evicting_ = true;
    error_code ignored;
    self->socket_.cancel(ignored);
  });
}

// True if the connection must not be closed to accept another one.
bool Connection::is_active() const {
  if (lingering_) return false;
  if (phase_ == Phase::receiving) return now() - request_started_ < limits::kReceivingMin;
  return phase_ == Phase::busy || has_unread_input();
}

void Connection::resume() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->advance(); });
}

void Connection::advance() {
  if (closed_ || lingering_) return;
  if (!draining_ && host_->is_draining()) begin_drain();
  responses_->hold(std::exchange(sent_, false));
  read_requests();
  write_due();
  if (closed_) return;
  const bool is_busy = writing_ || !responses_->empty();
  if (!is_busy) {
    if (input_ == Input::kEnded) return close();
    if (is_idle() && draining_ && !reading_ && !waits_for_requests()) return close();
  }
  read_more();
  note_phase(is_busy);
}

// True if no byte of a request is in progress. A response may be.
bool Connection::is_idle() const { return !reader_.started() && filled_ == 0; }

bool Connection::has_unread_input() const {
  error_code error;
  return socket_.available(error) > 0;
}

// False if the connection is draining and the next request does not belong to those that are still answered.
bool Connection::waits_for_requests() const {
  return !draining_ || now() < drain_until_ || (responses_->empty() && has_unread_input());
}

void Connection::note_phase(bool is_busy) {
  is_busy = is_busy || paused_;  // a request that was received waits for memory or for its permit
  const Phase inactive = is_idle() ? Phase::idle : Phase::receiving;
  phase_.store(is_busy ? Phase::busy : inactive, std::memory_order_relaxed);
  since_.store(inactive == Phase::idle ? idle_since_ : request_started_, std::memory_order_relaxed);
}

void Connection::read_requests() {
  // A read in progress writes behind the buffered bytes, so they must not move. They have already been parsed.
  if (reading_) return;
  std::size_t used = 0;
  Room room = Room::free;
  while (input_ == Input::kRequests && used < filled_ && !is_asking_) {
    // The limits do not stop a request that has begun.
    if (!reader_.started() && (room = responses_->room()) != Room::free) break;
    if (!reader_.started()) request_started_ = now();
    used += reader_.read({buffer_.get() + used, filled_ - used});
    if (reader_.state() == RequestReader::State::kComplete) {
      dispatch();
    } else if (reader_.state() == RequestReader::State::kRefused) {
      refuse(reader_.refusal());
    } else if (reader_.state() == RequestReader::State::kHeld) {
      ask_permit();
    } else if (used == 0 && filled_ == buffer_bytes_max_) {
      refuse(400);
    } else {
      break;
    }
  }
  paused_ = is_asking_ || room != Room::free;
  if (room == Room::until_released) host_->await_release(weak_from_this());
  count_body();
  if (input_ != Input::kRequests) used = filled_;
  if (used > 0 && used < filled_) std::memmove(buffer_.get(), buffer_.get() + used, filled_ - used);
  filled_ -= used;
}

// Counts an incomplete body, unless a permit limits its memory. A body that arrives with its head is counted by
// dispatch().
void Connection::count_body() {
  if (reader_.state() != RequestReader::State::kBody || reader_.partial().permit != nullptr) return;
  if (body_progress_.load(std::memory_order_relaxed) == Instant::max()) body_progress_ = now();
  responses_->grow_body(reader_.partial().body.capacity());
}

void Connection::ask_permit() {
  if (!options_.body_rules.permit) return admit_body({});
  is_asking_ = true;
  HttpRequest head = reader_.partial();
  head.peer = client_of(head);
  head.closed = closed_flag_;
  // Does not capture the executor and the connection, for the same reasons as the queue in prepare().
  host_->ask_permit(std::move(head), [weak = weak_from_this()](std::expected<Permit, HttpResponse> permit) {
    auto self = weak.lock();
    if (!self) return;
    const asio::any_io_executor executor = self->socket_.get_executor();
    asio::post(executor,
               [self = std::move(self), permit = std::move(permit)]() mutable { self->on_permit(std::move(permit)); });
  });
}

void Connection::on_permit(std::expected<Permit, HttpResponse> permit) {
  is_asking_ = false;
  if (closed_ || lingering_ || input_ != Input::kRequests) return;  // the permit arrived too late
  if (permit)
    admit_body(std::move(*permit));
  else
    refuse(std::move(permit.error()));
  advance();
}

void Connection::admit_body(Permit permit) {
  // The memory of a body with a permit is limited by the bytes that its permit reserves.
  if (permit == nullptr) {
    if (!responses_->reserve_body(reader_.body_length().value_or(limits::kChunkedBodyBytes))) {
      host_->count_rejected_body();
      return refuse(503);
    }
    body_progress_ = now();
  }
  const bool is_large = permit != nullptr;
  reader_.permit(std::move(permit));
  if (!is_large) return;
  begin_rate_window();
  watch();
}

void Connection::dispatch() {
  ReadRequest read = reader_.take();
  continue_sent_ = false;
  QueuedResponse place;
  place.close = !read.keep_alive;
  place.head_only = read.request.method == "HEAD";
  place.version_1_0 = read.version_1_0;
  place.bytes = read.bytes;
  if (place.close) input_ = Input::kDiscard;
  read.request.peer = client_of(read.request);
  read.request.closed = closed_flag_;
  body_progress_.store(Instant::max(), std::memory_order_relaxed);
  const auto ticket = std::make_shared<Ticket>(responses_, responses_->open(std::move(place)));
  phase_.store(Phase::busy, std::memory_order_relaxed);  // before the handler, which others can see running
  host_->handle(std::move(read.request), ticket);
}

std::string Connection::client_of(const HttpRequest& request) const {
  return is_proxy_ ? client_address(peer_, request.headers, options_.trusted_proxies) : peer_;
}

void Connection::refuse(int status) { refuse(host_->refusal(status, reader_.reason(), reader_.partial())); }

void Connection::refuse(HttpResponse response) {
  input_ = Input::kDiscard;
  QueuedResponse place;
  place.close = true;
  place.head_only = reader_.partial().method == "HEAD";
  reader_.restart();
  body_progress_.store(Instant::max(), std::memory_order_relaxed);
  const std::uint64_t number = responses_->open(std::move(place));
  responses_->put(number, std::move(response));
}

void Connection::read_more() {
  if (reading_ || closed_ || input_ == Input::kEnded) return;
  if (input_ == Input::kRequests && (paused_ || (!reader_.started() && !waits_for_requests()))) return;
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(buffer_.get() + filled_, buffer_bytes_max_ - filled_),
      [self = shared_from_this()](const error_code& error, std::size_t bytes) { self->on_read(error, bytes); });
}

void Connection::on_read(const error_code& error, std::size_t bytes) {
  reading_ = false;
  if (closed_) return;
  const bool is_evicted = std::exchange(evicting_, false);
  // evict(), on_tick() or write_due() has cancelled the read to learn whether a request has arrived.
  if (error == asio::error::operation_aborted) return is_evicted ? close() : advance();
  if (is_evicted) host_->keep(this);
  if (error == asio::error::eof) on_end_of_input();
  if (error && error != asio::error::eof) return close();
  if (body_progress_.load(std::memory_order_relaxed) != Instant::max()) body_progress_ = now();
  rate_bytes_ += bytes;
  if (input_ == Input::kDiscard) {
    discarded_bytes_ += bytes;
  } else {
    filled_ += bytes;
  }
  if (error || discarded_bytes_ > limits::kDiscardedBytesMax) {
    input_ = Input::kEnded;
    if (lingering_) return close();
  }
  if (lingering_) return read_more();
  advance();
}

// A client that has closed its connection looks like one that only ends its input and reads the response (RFC 9112
// §9.6), until the server writes. So the request of a connection that has ended is still executed, but only one per
// client at a time: many requests whose connections were closed at once must not occupy the server. A trusted proxy
// forwards the requests of many clients, and does not end its input before a response.
void Connection::on_end_of_input() {
  const bool can_wait = !is_proxy_ && filled_ == 0 && !reader_.started() && responses_->unready() == 1;
  is_half_closed_ = can_wait && !client_->has_half_closed.exchange(true);
  if (!is_half_closed_) closed_flag_->store(true, std::memory_order_relaxed);
}

void Connection::write_due() {
  if (writing_) return;
  if (draining_ && reading_ && !lingering_ && input_ == Input::kRequests) {
    // Whether the next response is the last one depends on the bytes that have arrived. on_read() calls advance().
    error_code ignored;
    socket_.cancel(ignored);
    return;
  }
  due_.clear();
  responses_->take(due_, kWriteBatchMax);
  if (due_.empty() && !send_continue()) return;
  if (!due_.empty()) compose_due();
  write();
}

bool Connection::send_continue() {
  // Waits for outstanding responses, because the client attributes "100 Continue" to its latest request.
  if (continue_sent_ || !reader_.expects_continue() || !responses_->empty()) return false;
  continue_sent_ = true;
  buffers_.assign(1, asio::buffer(kContinue));
  return true;
}

bool Connection::is_last(const QueuedResponse& queued, bool behind_all) const {
  if (queued.close || equals_ignoring_case(queued.response.headers.get("Connection"), "close")) return true;
  if (!draining_ || !behind_all || !is_idle() || !responses_->empty()) return false;
  return now() >= drain_until_ || !has_unread_input();
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
    const bool body = !due_[i].head_only && status_allows_body(response.status) && !response.content().empty();
    if (body) buffers_.push_back(asio::buffer(response.content()));
  }
}

void Connection::write() {
  writing_ = true;
  write_progress_.store(now(), std::memory_order_relaxed);
  std::size_t total = 0;
  for (const asio::const_buffer& buffer : buffers_) total += buffer.size();
  asio::async_write(
      socket_, GatherView{buffers_.data(), buffers_.data() + buffers_.size()},
      [this, total](const error_code& error, std::size_t sent) {
        if (sent > 0 && sent < total) write_progress_.store(now(), std::memory_order_relaxed);
        return error ? 0 : kWriteStepMax;
      },
      [self = shared_from_this()](const error_code& error, std::size_t) { self->on_written(error); });
}

void Connection::on_written(const error_code& error) {
  writing_ = false;
  sent_ = true;
  due_.clear();
  if (closed_) return;
  if (error) return close();
  idle_since_ = now();
  write_progress_.store(Instant::max(), std::memory_order_relaxed);
  if (closing_) return linger();
  advance();
}

void Connection::linger() {
  // A close with unread input would reset the connection, and the client could lose the response.
  responses_->close();
  error_code error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error || input_ == Input::kEnded) return close();
  lingering_ = true;
  phase_.store(Phase::receiving, std::memory_order_relaxed);  // the first to give way to another connection
  since_.store(Instant{}, std::memory_order_relaxed);
  input_ = Input::kDiscard;
  filled_ = 0;
  linger_until_ = now() + limits::kLingerMax;
  watch();
  read_more();
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  closed_flag_->store(true, std::memory_order_relaxed);
  if (is_half_closed_) client_->has_half_closed = false;
  responses_->close();
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  host_->release(this);
}

Connection::Instant Connection::read_deadline() const {
  if (lingering_) return linger_until_;
  const bool is_large = reader_.partial().permit != nullptr;
  if (input_ == Input::kRequests && reader_.started())
    return is_large ? std::min(request_started_ + options_.body_rules.large_timeout, rate_deadline())
                    : request_started_ + options_.request_timeout;
  if (writing_ || paused_ || !responses_->empty()) return Instant::max();
  const Instant idle_until = idle_since_ + options_.idle_timeout;
  return draining_ ? std::min(drain_until_, idle_until) : idle_until;
}

void Connection::begin_rate_window() {
  rate_window_start_ = now();
  rate_bytes_ = 0;
}

// Whether a large body has had the minimum rate since the start of the window.
bool Connection::is_fast_enough() const {
  const BodyRules& rules = options_.body_rules;
  const auto seconds = std::chrono::duration_cast<std::chrono::duration<double>>(rules.large_rate_window).count();
  return static_cast<double>(rate_bytes_) >= static_cast<double>(rules.large_rate_min) * seconds;
}

// The end of the window of the minimum rate of a large body.
Connection::Instant Connection::rate_deadline() const {
  const BodyRules& rules = options_.body_rules;
  return rules.large_rate_min == 0 ? Instant::max() : rate_window_start_ + rules.large_rate_window;
}

Connection::Instant Connection::write_deadline() const {
  return writing_ ? write_progress_.load(std::memory_order_relaxed) + options_.idle_timeout : Instant::max();
}

void Connection::watch() {
  // The timer is not reset for every request. It fires at least once within the shortest timeout, so it detects a
  // deadline that is set in the meantime.
  const Duration shortest = std::min(options_.idle_timeout, options_.request_timeout);
  const Instant next_look = now() + (draining_ ? std::min(limits::kDrainIdleMax, shortest) : shortest);
  timer_.expires_at(std::min({read_deadline(), write_deadline(), next_look}));
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && !self->closed_) self->on_tick();
  });
}

void Connection::on_tick() {
  const Instant at = now();
  if (at >= write_deadline()) return close();
  if (reader_.partial().permit != nullptr && at >= rate_deadline() && is_fast_enough()) begin_rate_window();
  if (at >= read_deadline()) {
    error_code ignored;
    const bool is_read_pending = draining_ && reading_;
    if (lingering_ || (!reader_.started() && !is_read_pending)) return close();
    if (reader_.started())
      refuse(408);
    else
      socket_.cancel(ignored);  // a request can be on its way to on_read(); without one, the connection closes there
    advance();
  }
  if (!closed_ && !lingering_) watch();
}

}  // namespace finality::net
