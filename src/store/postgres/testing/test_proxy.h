// Test proxy: forwards TCP connections to a PostgreSQL socket and injects a network failure when a client sends COMMIT.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "base/check.h"

namespace finality::postgres {

/// The failure that the proxy injects when it forwards the next COMMIT of a client.
enum class Fate : std::uint8_t {
  pass,
  cut_before,  // the COMMIT is not forwarded; both connections are closed
  swallow,     // the COMMIT is not forwarded; only the client's connection is closed, so that the server keeps waiting
  cut_after,   // the COMMIT is forwarded; both connections are closed after the reply, which is not forwarded
  cut_during,  // the COMMIT is forwarded; both connections are closed immediately
};

class TestProxy {
 public:
  explicit TestProxy(std::string socket_path) : socket_path_(std::move(socket_path)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    FINALITY_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) == 0, "cannot bind");
    FINALITY_CHECK(::listen(listener_, 16) == 0, "cannot listen");
    FINALITY_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0,
                   "cannot get the port");
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { accept_all(); });
  }
  ~TestProxy() {
    ends_ = true;
    thread_.join();
    pipes_.clear();
    for (const int end : kept_) ::close(end);
    ::close(listener_);
  }
  TestProxy(const TestProxy&) = delete;
  TestProxy& operator=(const TestProxy&) = delete;

  std::string url(const std::string& database) const {
    return fmt::format("postgres://finality@127.0.0.1:{}/{}?sslmode=disable&gssencmode=disable", port_, database);
  }
  void set_fate(Fate fate) { fate_ = fate; }
  /// Whether the failure set by set_fate() has been injected.
  bool happened() const { return fate_ == Fate::pass; }
  /// From now on closes new connections immediately.
  void refuse_all() { refuses_ = true; }

 private:
  static constexpr int kLookMs = 20;  // interval in which threads check whether the proxy is closing

  void accept_all() {
    while (!ends_) {
      pollfd ready{listener_, POLLIN, 0};
      if (::poll(&ready, 1, kLookMs) != 1) continue;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (refuses_) {
        ::close(client);
        continue;
      }
      pipes_.emplace_back([this, client, server = connect_to_server()] { pump(client, server); });
    }
  }
  int connect_to_server() const {
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    FINALITY_CHECK(socket_path_.size() < sizeof address.sun_path, "the socket's path is too long");
    socket_path_.copy(address.sun_path, socket_path_.size());
    FINALITY_CHECK(::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "cannot connect");
    return server;
  }
  void pump(int client, int server) {
    bool server_stays = false;
    bool answers_pass = true;
    while (!ends_) {
      std::array<pollfd, 2> ready{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
      if (::poll(ready.data(), ready.size(), kLookMs) <= 0) continue;
      if (ready[0].revents != 0) {
        const std::string said = read_some(client);
        const Fate fate = said.contains(std::string_view("COMMIT\0", 7)) ? fate_.exchange(Fate::pass) : Fate::pass;
        if (said.empty() || fate == Fate::cut_before) break;
        if (fate == Fate::swallow) {
          server_stays = true;
          break;
        }
        write_all(server, said);
        if (fate == Fate::cut_during) break;
        if (fate == Fate::cut_after) answers_pass = false;
      }
      if (ready[1].revents != 0) {
        const std::string answered = read_some(server);
        if (answered.empty() || !answers_pass) break;
        write_all(client, answered);
      }
    }
    ::close(client);
    if (server_stays)
      kept_.push_back(server);
    else
      ::close(server);
  }
  static std::string read_some(int from) {
    std::string data(1 << 16, '\0');
    const ssize_t got = ::recv(from, data.data(), data.size(), 0);
    data.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return data;
  }
  static void write_all(int to, std::string_view data) {
    while (!data.empty()) {
      const ssize_t sent = ::send(to, data.data(), data.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      data.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::string socket_path_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<Fate> fate_ = Fate::pass;
  std::atomic<bool> refuses_ = false;
  std::atomic<bool> ends_ = false;
  std::list<std::jthread> pipes_;  // used only by the accepting thread until that thread ends
  std::list<int> kept_;            // connections to the server that Fate::swallow leaves open
  std::jthread thread_;
};

}  // namespace finality::postgres
