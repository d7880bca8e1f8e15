// Accepts the connections of an HTTP server and tracks the open connections.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/net/server/http_connection.h"

namespace finality::net {

/// Thread safe after start(). stop() closes all connections and waits for running handlers.
class Listener final : public ConnectionHost, public std::enable_shared_from_this<Listener> {
 public:
  Listener(IoPool& io, ServerOptions options, Handler handler);

  /// Binds the socket and listens. Returns the error of the system call; no error on success.
  boost::system::error_code bind(const asio::ip::tcp::endpoint& endpoint);
  void start();
  void stop();
  void drain(Duration patience, std::function<void()> done);

  std::uint16_t port() const { return port_; }

  const ServerOptions& options() const override { return options_; }
  void handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) override;
  void ask_permit(HttpRequest head, LargeBodies::Done done) override;
  void release(Connection* connection) override;
  void remove(Connection* connection) override;

 private:
  using DrainDone = std::shared_ptr<std::function<void()>>;

  template <class Call>
  bool call_handler(Call call);
  void accept();
  void on_accept(const boost::system::error_code& error, asio::ip::tcp::socket socket);
  void admit(asio::ip::tcp::socket socket);
  void close_acceptor();
  void finish_drain(const DrainDone& done);
  std::vector<std::shared_ptr<Connection>> open_connections();

  IoPool& io_;
  asio::any_io_executor executor_;
  asio::ip::tcp::acceptor acceptor_;
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

}  // namespace finality::net
