// Accepts the connections of an HTTP server, tracks the open connections, and closes some of them to stay within the
// limits.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/net/client_address.h"
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
  ServerCounts counts() const;

  const ServerOptions& options() const override { return options_; }
  ByteBudget& budget() override { return budget_; }
  bool is_draining() const override { return draining_; }
  HttpResponse refusal(int status, std::string_view reason, const HttpRequest& request) override;
  std::size_t body_bytes_max(const HttpRequest& head) override;
  void handle(HttpRequest request, const std::shared_ptr<Ticket>& ticket) override;
  void ask_permit(HttpRequest head, BodyRules::Done done) override;
  void await_release(std::weak_ptr<Connection> connection) override;
  void count_rejected_body() override { ++bodies_over_budget_; }
  void keep(Connection* connection) override;
  void release(Connection* connection) override;
  void remove(Connection* connection) override;

 private:
  using DrainDone = std::shared_ptr<std::function<void()>>;
  using Instant = Connection::Instant;

  /// A client address, a network of addresses (client_network()), or a trusted proxy.
  struct Client {
    explicit Client(bool is_limited) : bytes(std::make_shared<ClientBytes>()) { bytes->is_limited = is_limited; }

    const std::shared_ptr<ClientBytes> bytes;
    std::size_t connections = 0;
  };
  using Clients = std::map<std::pair<AddressBytes, bool>, Client>;  // the second part of a key: whether it is a proxy

  struct Entry {
    std::weak_ptr<Connection> connection;
    Clients::iterator client;
    bool is_evicted = false;  // the connection closes unless it has become active
  };

  template <class Call>
  bool call_handler(Call call);
  void accept();
  void on_accept(const boost::system::error_code& error, asio::ip::tcp::socket socket);
  void retry_accept();
  void resume_accept();
  void admit_waiting();
  void accept_backlog();
  bool admit(asio::ip::tcp::socket& socket);
  bool make_room(const Client* client, std::size_t count, std::vector<std::shared_ptr<Connection>>& evicted);
  void erase(Connection* connection);
  void finish_drain(const DrainDone& done);
  void relieve_later();
  void relieve();
  void close_worst();
  std::vector<std::shared_ptr<Connection>> open_connections();

  IoPool& io_;
  asio::any_io_executor executor_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::steady_timer relief_;
  std::uint16_t port_ = 0;
  const ServerOptions options_;
  const Handler handler_;
  ByteBudget budget_;
  std::optional<asio::ip::tcp::socket> waiting_socket_;  // accepted beyond the limit; waits until a connection closes

  std::atomic<bool> open_ = true;
  std::atomic<int> handlers_running_ = 0;
  std::atomic<bool> relief_due_ = false;
  std::atomic<std::uint64_t> evicted_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> connections_over_budget_ = 0;
  std::atomic<std::uint64_t> bodies_over_budget_ = 0;

  mutable std::mutex mutex_;
  Clients clients_;
  std::unordered_map<Connection*, Entry> connections_;
  std::vector<std::weak_ptr<Connection>> awaiting_release_;
  std::vector<DrainDone> drains_;
  std::atomic<bool> draining_ = false;  // written with the lock held
  bool has_backlog_ = true;             // established connections may not have been accepted
  bool accept_paused_ = false;          // no accept is pending
};

}  // namespace finality::net
