// Test proxy: forwards TCP connections to a PostgreSQL socket. Injects a network failure when a client sends COMMIT,
// and failures of the statements of a merchant, as a Citus coordinator reports them whose worker is down.
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
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "model/ids.h"
#include "store/postgres/statement.h"
#include "store/postgres/values.h"

namespace finality::postgres {

/// The failure that the proxy injects when it forwards the next COMMIT of a client.
enum class Fate : std::uint8_t {
  pass,
  cut_before,  // the COMMIT is not forwarded; both connections are closed
  swallow,     // the COMMIT is not forwarded; only the client's connection is closed, so that the server keeps waiting
  cut_after,   // the COMMIT is forwarded; both connections are closed after the reply, which is not forwarded
  cut_during,  // the COMMIT is forwarded; both connections are closed immediately
};

/// What the proxy does with a statement of a failed shard.
enum class ShardFate : std::uint8_t {
  error,    // the server's reply is the error of a Citus coordinator that cannot reach a worker
  silence,  // neither this statement nor anything else on the connection gets a reply
};

/// The statements whose shard has failed. Shared by the connections of a proxy. Thread safe.
class FailedStatements {
 public:
  struct Rule {
    std::string text;   // part of the SQL text; empty: any text
    std::string bytes;  // part of the parameters; empty: any parameters
    ShardFate fate;
    bool is_whole_text = false;  // `text` is the whole SQL text
  };

  void add(Rule rule) {
    const std::lock_guard lock(mutex_);
    rules_.push_back(std::move(rule));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    rules_.clear();
  }
  int count() const { return count_; }
  /// Counts a statement that a rule names.
  std::optional<ShardFate> find(std::string_view text, std::string_view parameters) {
    const std::lock_guard lock(mutex_);
    if (text.contains("pg_dist_placement")) return std::nullopt;  // metadata of the coordinator, not of a shard
    for (const Rule& rule : rules_)
      if ((rule.is_whole_text ? text == rule.text : text.contains(rule.text)) && parameters.contains(rule.bytes)) {
        ++count_;
        return rule.fate;
      }
    return std::nullopt;
  }
  /// A parameter, or an element of an array, that is the number, in the binary format: its length and its bytes.
  static std::string bytes_of(std::int64_t number) {
    std::string bytes;
    encode_number(bytes, std::uint32_t{sizeof number});
    encode_number(bytes, static_cast<std::uint64_t>(number));
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::vector<Rule> rules_;
  std::atomic<int> count_ = 0;
};

/// Splits what a client sends into messages (PostgreSQL's frontend/backend protocol 3), and replaces the executions of
/// failed statements.
class ClientMessages {
 public:
  explicit ClientMessages(FailedStatements& failed) : failed_(failed) {}

  /// Returns the bytes to forward. Returns nothing after a statement with ShardFate::silence.
  std::string forward(std::string_view data) {
    rest_ += data;
    std::string out;
    for (std::size_t size = 0; !is_silent_ && (size = message_size()) != 0; rest_.erase(0, size)) {
      const std::string_view message = std::string_view(rest_).substr(0, size);
      out += is_started_ ? replaced(message) : std::string(message);
      is_started_ = true;
    }
    return out;
  }

 private:
  static constexpr std::size_t kNumber = 4;  // bytes of a length

  // The size of the first message; 0 if it is incomplete. The first message of a connection has no type.
  std::size_t message_size() const {
    const std::size_t type = is_started_ ? 1 : 0;
    if (rest_.size() < type + kNumber) return 0;
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < kNumber; ++i) length = length << 8 | static_cast<unsigned char>(rest_[type + i]);
    return rest_.size() < type + length ? 0 : type + length;
  }
  std::string replaced(std::string_view message) {
    std::string_view body = message.substr(1 + kNumber);
    const auto take_text = [&] {
      const std::string text(body.substr(0, body.find('\0')));
      body.remove_prefix(text.size() + 1);
      return text;
    };
    if (message[0] == 'P') {
      const std::string name = take_text();
      texts_[name] = take_text();
    }
    if (message[0] == 'S') skips_ = false;  // until Sync, the server skips the messages after an error
    if (message[0] != 'B' || skips_) return std::string(message);
    take_text();  // the portal
    const auto fate = failed_.find(texts_[take_text()], body);
    if (!fate) return std::string(message);
    skips_ = true;
    is_silent_ = *fate == ShardFate::silence;
    return is_silent_ ? "" : error();
  }
  // Messages that execute a statement which fails. The server then skips the messages of the replaced statement.
  static std::string error() {
    const std::string nul(1, '\0');
    const std::string none(2, '\0');
    return message('P', nul +
                            "DO $$ BEGIN RAISE 'connection to the remote node worker:5432 failed' "
                            "USING ERRCODE = '08006'; END $$" +
                            nul + none) +
           message('B', nul + nul + none + none + none) + message('E', nul + std::string(kNumber, '\0'));
  }
  static std::string message(char type, std::string_view body) {
    std::string out(1, type);
    encode_number(out, static_cast<std::uint32_t>(kNumber + body.size()));
    return out += body;
  }

  FailedStatements& failed_;
  std::map<std::string, std::string> texts_;  // of prepared statements, by name
  std::string rest_;
  bool is_started_ = false;
  bool skips_ = false;
  bool is_silent_ = false;
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
  /// From now on fails the statements that name the merchant in a parameter, until restore_shards().
  void fail_merchant(MerchantId merchant, ShardFate fate = ShardFate::error) {
    failed_.add({.text = {}, .bytes = FailedStatements::bytes_of(merchant.value), .fate = fate});
  }
  /// From now on fails the statements on the row of a node number, and those on all rows of `nodes`.
  void fail_node(std::int64_t number) {
    failed_.add({.text = "nodes", .bytes = FailedStatements::bytes_of(number), .fate = ShardFate::error});
    fail_text("FROM nodes ORDER BY number");
  }
  /// From now on fails the statements whose SQL text contains `text`.
  void fail_text(std::string text) { failed_.add({.text = std::move(text), .bytes = {}, .fate = ShardFate::error}); }
  /// From now on fails the statements that name the merchant, and those that are sent to all shards, as if the worker
  /// of the merchant were down.
  void fail_worker_of(MerchantId merchant, ShardFate fate = ShardFate::error) {
    fail_merchant(merchant, fate);
    for (const SqlStatement* statement : all_statements()) {
      const bool is_look_up = statement->shards() == Shards::merchants && statement->has(Form::sharded);
      if (statement->shards() == Shards::every || is_look_up)
        failed_.add({.text = statement->text(Form::plain), .bytes = {}, .fate = fate, .is_whole_text = true});
    }
  }
  void restore_shards() { failed_.clear(); }
  /// The number of statements that failed because of their shard.
  int failed_statements() const { return failed_.count(); }
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
    ClientMessages messages(failed_);
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
        write_all(server, messages.forward(said));
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
  FailedStatements failed_;
  std::atomic<bool> ends_ = false;
  std::list<std::jthread> pipes_;  // used only by the accepting thread until that thread ends
  std::list<int> kept_;            // connections to the server that Fate::swallow leaves open
  std::jthread thread_;
};

}  // namespace finality::postgres
