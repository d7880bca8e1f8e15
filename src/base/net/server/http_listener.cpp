#include "base/net/server/http_listener.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <utility>

namespace finality::net {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kAcceptRetry{100};

asio::any_io_executor make_executor(IoPool& io) {
  if (io.threads() == 1) return io.context().get_executor();
  return asio::make_strand(io.context());
}

}  // namespace

Listener::Listener(IoPool& io, ServerOptions options, Handler handler)
    : io_(io),
      executor_(make_executor(io)),
      acceptor_(executor_),
      retry_(executor_),
      options_(std::move(options)),
      handler_(std::move(handler)) {}

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
    // No descriptors or memory are available. Retries later, because an immediate accept would fail again.
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

void Listener::handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) {
  const bool done = call_handler(
      [&] { handler_(std::move(request), [ticket](HttpResponse response) { ticket->respond(std::move(response)); }); });
  if (!done) ticket->abandon();
}

void Listener::ask_permit(HttpRequest head, LargeBodies::Done done) {
  call_handler([&] { options_.large_bodies.permit(std::move(head), std::move(done)); });
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

void Listener::remove(Connection* connection) {
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

}  // namespace finality::net
