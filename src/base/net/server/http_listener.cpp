#include "base/net/server/http_listener.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <functional>
#include <ranges>
#include <utility>

#include "base/limits.h"

namespace finality::net {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kAcceptRetry{100};
constexpr int kBacklogMax = 4096;  // connections accepted when the server stops

asio::any_io_executor make_executor(IoPool& io) {
  if (io.threads() == 1) return io.context().get_executor();
  return asio::make_strand(io.context());
}

AddressBytes bytes_of(const asio::ip::address& address) {
  if (address.is_v4()) return asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
  return address.to_v6().to_bytes();
}

}  // namespace

Listener::Listener(IoPool& io, ServerOptions options, Handler handler)
    : io_(io),
      executor_(make_executor(io)),
      acceptor_(executor_),
      retry_(executor_),
      relief_(executor_),
      options_(std::move(options)),
      handler_(std::move(handler)),
      budget_(options_.client_bytes_max, options_.server_bytes_max, [this] { relieve_later(); }) {}

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
  if (waiting_socket_) {
    // Also looks again after a while, because connections become idle without notice.
    if (!admit(*waiting_socket_)) return retry_accept();
    waiting_socket_.reset();
  }
  acceptor_.async_accept(make_executor(io_), [self = shared_from_this()](const error_code& error, tcp::socket socket) {
    self->on_accept(error, std::move(socket));
  });
}

void Listener::on_accept(const error_code& error, tcp::socket socket) {
  if (!error) waiting_socket_ = std::move(socket);
  if (!acceptor_.is_open()) return admit_waiting();
  if (error && error != asio::error::connection_aborted) {
    // No descriptors or memory are available. Retries later, because an immediate accept would fail again.
    {
      const std::lock_guard lock(mutex_);
      accept_paused_ = true;
    }
    return retry_accept();
  }
  accept();
}

// Calls accept() after a while, unless a connection has closed before.
void Listener::retry_accept() {
  retry_.expires_after(kAcceptRetry);
  retry_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->resume_accept();
  });
}

void Listener::resume_accept() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(accept_paused_, false) && open_) start();
}

// Admits the accepted socket, which cannot wait any longer because the server accepts no further connections.
void Listener::admit_waiting() {
  if (waiting_socket_) admit(*waiting_socket_);
  waiting_socket_.reset();
}

// Accepts the connections that the system has established, because closing the acceptor would reset them, and then
// closes the acceptor. A backlog of 0 makes the system establish no further ones meanwhile.
void Listener::accept_backlog() {
  if (!acceptor_.is_open()) return;
  error_code error;
  acceptor_.cancel(error);
  retry_.cancel();
  admit_waiting();
  acceptor_.listen(0, error);
  acceptor_.non_blocking(true, error);
  for (int i = 0; i < kBacklogMax; ++i) {
    tcp::socket socket(make_executor(io_));
    acceptor_.accept(socket, error);
    if (error == asio::error::connection_aborted) continue;
    if (error) break;
    admit(socket);
  }
  acceptor_.close(error);
}

// Starts a connection, unless its client has too many. Returns false if the socket must wait until a connection closes.
bool Listener::admit(tcp::socket& socket) {
  error_code error;
  const asio::ip::address address = socket.remote_endpoint(error).address();
  if (error) return true;  // the client has closed the connection
  const AddressBytes peer = bytes_of(address);
  const bool is_proxy = options_.trusted_proxies.contains(peer);
  std::vector<std::shared_ptr<Connection>> evicted;
  std::shared_ptr<Connection> connection;
  bool is_late = false;
  {
    const std::lock_guard lock(mutex_);
    if (!open_) return true;
    if (!draining_ && connections_.size() >= options_.connections_max) {
      make_room(nullptr, options_.connections_max, evicted);
      accept_paused_ = true;
    } else {
      const auto client = clients_.try_emplace({is_proxy ? peer : client_network(peer), is_proxy}, !is_proxy).first;
      const bool is_full = !is_proxy && client->second.connections >= options_.client_connections_max;
      if (is_full && !make_room(&client->second, options_.client_connections_max, evicted)) {
        ++refused_;
        return true;
      }
      connection = std::make_shared<Connection>(shared_from_this(), std::move(socket), to_text(peer), is_proxy);
      connection->prepare(client->second.bytes);
      connections_.emplace(connection.get(), Entry{connection, client});
      ++client->second.connections;
      is_late = draining_;
    }
  }
  for (const auto& one : evicted) one->evict();
  if (connection == nullptr) return false;
  asio::dispatch(connection->executor(), [connection] { connection->start(); });
  if (is_late) connection->drain();
  return true;
}

// Chooses connections to close: of the client, or of all clients if null. Idle connections go first, then those whose
// request is incomplete; within each group those that are inactive for the longest time. Chooses a small part of
// `count`, so that a client that connects again and again does not cause a search each time. Returns false if all
// connections are busy.
bool Listener::make_room(const Client* client, std::size_t count, std::vector<std::shared_ptr<Connection>>& evicted) {
  constexpr std::size_t kPart = 64;
  std::vector<std::pair<Connection::Inactivity, Entry*>> candidates;
  const Instant receiving_before = std::chrono::steady_clock::now() - limits::kReceivingMin;
  for (auto& [connection, entry] : connections_) {
    if (client != nullptr && &entry.client->second != client) continue;
    const Connection::Inactivity inactivity = connection->inactivity();
    const bool is_slow = inactivity.phase == Connection::Phase::receiving && inactivity.since < receiving_before;
    if (!entry.is_evicted && (inactivity.phase == Connection::Phase::idle || is_slow))
      candidates.emplace_back(inactivity, &entry);
  }
  const std::size_t chosen = std::min(candidates.size(), std::max<std::size_t>(1, count / kPart));
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(chosen);
  std::ranges::partial_sort(candidates, end, {}, &std::pair<Connection::Inactivity, Entry*>::first);
  for (auto one = candidates.begin(); one != end; ++one) {
    one->second->is_evicted = true;
    if (auto connection = one->second->connection.lock()) evicted.push_back(std::move(connection));
  }
  return chosen > 0;
}

// Calls a function of the server's owner, unless the server has been stopped. Returns false if the function throws.
template <class Call>
bool Listener::call_handler(Call call) {
  bool done = true;
  ++handlers_running_;
  if (open_) {
    try {
      call();
    } catch (...) {
      done = false;
    }
  }
  if (--handlers_running_ == 0 && !open_) handlers_running_.notify_all();
  return done;
}

HttpResponse Listener::refusal(int status, std::string_view reason, const HttpRequest& request) {
  HttpResponse response;
  response.status = status;
  call_handler([&] {
    if (options_.refuse) response = options_.refuse(status, reason, request);
  });
  return response;
}

std::size_t Listener::body_bytes_max(const HttpRequest& head) {
  std::size_t bytes = 0;
  call_handler([&] {
    if (options_.body_rules.bytes_max) bytes = options_.body_rules.bytes_max(head);
  });
  return bytes;
}

void Listener::handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) {
  const bool done = call_handler(
      [&] { handler_(std::move(request), [ticket](HttpResponse response) { ticket->respond(std::move(response)); }); });
  if (!done) ticket->abandon();
}

void Listener::ask_permit(HttpRequest head, BodyRules::Done done) {
  if (!call_handler([&] { options_.body_rules.permit(std::move(head), done); }))
    done(std::unexpected(refusal(500, {}, {})));
}

void Listener::keep(Connection* connection) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto entry = connections_.find(connection); entry != connections_.end()) entry->second.is_evicted = false;
  }
  resume_accept();
}

void Listener::release(Connection* connection) {
  std::vector<DrainDone> drained;
  {
    const std::lock_guard lock(mutex_);
    erase(connection);
    if (connections_.empty() && draining_ && !has_backlog_) drained = std::exchange(drains_, {});
  }
  resume_accept();
  for (const DrainDone& done : drained) (*done)();
}

void Listener::remove(Connection* connection) {
  const std::lock_guard lock(mutex_);
  erase(connection);
}

void Listener::erase(Connection* connection) {
  const auto entry = connections_.find(connection);
  if (entry == connections_.end()) return;
  if (entry->second.is_evicted) ++evicted_;
  const auto client = entry->second.client;
  connections_.erase(entry);
  if (--client->second.connections == 0) clients_.erase(client);
}

std::vector<std::shared_ptr<Connection>> Listener::open_connections() {
  std::vector<std::shared_ptr<Connection>> open;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : connections_) {
    if (auto connection = entry.connection.lock()) open.push_back(std::move(connection));
  }
  return open;
}

ServerCounts Listener::counts() const {
  ServerCounts counts;
  counts.waiting_bytes = budget_.used();
  counts.connections_evicted = evicted_;
  counts.connections_refused = refused_;
  counts.connections_over_budget = connections_over_budget_;
  counts.bodies_over_budget = bodies_over_budget_;
  const std::lock_guard lock(mutex_);
  counts.connections = connections_.size();
  return counts;
}

void Listener::await_release(std::weak_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    awaiting_release_.push_back(std::move(connection));
  }
  relieve_later();
}

// Runs on any thread, with the queue of a connection locked.
void Listener::relieve_later() {
  if (!open_ || relief_due_.exchange(true)) return;
  asio::post(executor_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->relief_.expires_after(limits::kReliefEvery);
    self->relief_.async_wait([weak](const error_code& error) {
      if (const auto waiting = weak.lock(); waiting && !error) waiting->relieve();
    });
  });
}

void Listener::relieve() {
  relief_due_ = false;
  if (budget_.is_exceeded()) close_worst();
  std::vector<std::weak_ptr<Connection>> resumed;
  {
    const std::lock_guard lock(mutex_);
    resumed.swap(awaiting_release_);
  }
  for (const auto& weak : resumed) {
    if (const auto connection = weak.lock()) connection->resume();
  }
  if (budget_.is_exceeded()) relieve_later();
}

// Closes connections whose memory exceeds a limit, those with most memory first: the ones whose clients neither read
// nor send, and beyond twice a limit also others.
void Listener::close_worst() {
  std::vector<std::pair<std::size_t, std::shared_ptr<Connection>>> loads;
  for (auto& connection : open_connections()) {
    if (const std::size_t bytes = connection->charged(); bytes > 0) loads.emplace_back(bytes, std::move(connection));
  }
  std::ranges::sort(loads, std::ranges::greater());
  const Instant stalled_before = std::chrono::steady_clock::now() - options_.stalled_max;
  for (const auto& [bytes, connection] : loads) {
    const bool is_stalled = connection->waits_for_client_since() < stalled_before;
    if (!budget_.exceeds(connection->client(), is_stalled ? 1 : 2)) continue;
    ++connections_over_budget_;
    connection->abort();
  }
}

void Listener::drain(Duration patience, std::function<void()> done) {
  const auto waiting = std::make_shared<std::function<void()>>(std::move(done));
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    drains_.push_back(waiting);
  }
  asio::post(executor_, [self = shared_from_this(), waiting] {
    self->accept_backlog();
    for (const auto& connection : self->open_connections()) connection->drain();
    // Later, because a connection can have been accepted without its handler having run.
    asio::post(self->executor_, [self, waiting] {
      bool is_empty = false;
      {
        const std::lock_guard lock(self->mutex_);
        self->has_backlog_ = false;
        is_empty = self->connections_.empty();
      }
      if (is_empty) self->finish_drain(waiting);
    });
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

void Listener::stop() {
  open_ = false;
  asio::post(executor_, [self = shared_from_this()] {
    error_code ignored;
    self->acceptor_.close(ignored);
    self->retry_.cancel();
    self->relief_.cancel();
    self->waiting_socket_.reset();
  });
  for (const auto& connection : open_connections()) connection->abort();
  while (const int running = handlers_running_) handlers_running_.wait(running);
}

}  // namespace finality::net
