// Test fixture: a sandbox in a temporary directory, and a merchant that calls it and receives its notifications.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/crypto/random.h"
#include "base/net/http_client.h"
#include "base/net/http_server.h"
#include "base/testing/test_clock.h"
#include "sandbox/core/signature.h"
#include "sandbox/sandbox.h"

namespace finality::sandbox {

inline const Secret kTestSecret("a secret of tests");
inline constexpr Duration kPatience{20'000};

struct SandboxReply {
  int status = 0;
  boost::json::value json;
  net::HttpResponse response;

  std::string text(std::string_view field) const { return std::string(json.as_object().at(field).as_string()); }
  const boost::json::object& trade() const { return json.as_object().at("trade").as_object(); }
  std::string state() const { return std::string(trade().at("state").as_string()); }
  std::string trade_no() const { return std::string(trade().at("trade_no").as_string()); }
};

/// HTTP server that records the notifications to a merchant.
class Receiver {
 public:
  explicit Receiver(net::IoPool& io) {
    auto listening = net::HttpServer::listen(
        io, {}, [this](const net::HttpRequest& request, const net::Respond& respond) { receive(request, respond); });
    if (!listening) throw std::runtime_error(listening.error().message);
    server_ = std::move(*listening);
  }

  std::string url() const { return fmt::format("http://127.0.0.1:{}/notify", server_->port()); }

  /// Sets the function that returns the response to the n-th notification (n starts at 0). Default: 200 `success`.
  void reply_with(std::function<net::HttpResponse(std::size_t)> reply) {
    const std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
  }

  /// Waits until at least `count` notifications have arrived, and returns all notifications received so far.
  std::vector<net::HttpRequest> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(arrived_.wait_for(lock, kPatience, [&] { return requests_.size() >= count; }))
        << requests_.size() << " notifications instead of " << count;
    return requests_;
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }

 private:
  void receive(const net::HttpRequest& request, const net::Respond& respond) {
    net::HttpResponse response;
    {
      const std::lock_guard lock(mutex_);
      response = reply_(requests_.size());
      requests_.push_back(request);
    }
    arrived_.notify_all();
    respond(std::move(response));
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<net::HttpRequest> requests_;
  std::function<net::HttpResponse(std::size_t)> reply_ = [](std::size_t) {
    return net::HttpResponse{.status = 200, .headers = {}, .body = "success"};
  };
  std::unique_ptr<net::HttpServer> server_;
};

/// Directory of the gateways' keys. All tests of a process share the keys, because generation takes longer than most
/// tests.
inline const std::filesystem::path& shared_keys() {
  struct Directory {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("finality-sandbox-keys-" + random_hex(8));
    Directory() { std::filesystem::create_directories(path); }
    ~Directory() { std::filesystem::remove_all(path); }
  };
  static const Directory directory;
  return directory.path;
}

class TestWorld : public testing::Test {
 protected:
  TestWorld()
      : directory_(std::filesystem::temp_directory_path() / ("finality-sandbox-" + random_hex(8))), receiver_(io_) {
    start();
  }

  ~TestWorld() override {
    sandbox_.reset();
    std::filesystem::remove_all(directory_);
  }

  void start() {
    auto started = Sandbox::start(io_, options());
    ASSERT_TRUE(started) << started.error().message;
    sandbox_ = std::move(*started);
  }
  void stop() { sandbox_.reset(); }

  /// Restarts the sandbox with a stopped clock. Payers and notifications wait until the test advances the clock.
  std::shared_ptr<TestClock> start_with_stopped_clock() {
    stop();
    auto clock = std::make_shared<TestClock>(SystemClock().now());
    clock_ = clock;
    start();
    return clock;
  }

  Options options() const {
    return {.address = "127.0.0.1",
            .port = 0,
            .data_directory = directory_,
            .time_scale = 1000,
            .secret = kTestSecret,
            .public_url = "",
            .keys_directory = shared_keys(),
            .clock = clock_};
  }

  net::HttpResponse exchange(const std::string& method, const std::string& target, const std::string& body,
                             net::Headers headers) {
    std::promise<net::CallResult> promise;
    net::Call call{.url = fmt::format("http://127.0.0.1:{}{}", sandbox_->port(), target),
                   .method = method,
                   .headers = std::move(headers),
                   .body = body,
                   .timeout = kPatience,
                   .public_only = false,
                   .allow_private = {},
                   .response_bytes_max = 64 << 20};
    client_->call(std::move(call), [&](net::CallResult outcome) { promise.set_value(std::move(outcome)); });
    net::CallResult outcome = promise.get_future().get();
    EXPECT_TRUE(outcome.answered) << method << " " << target << ": " << outcome.failure;
    return std::move(outcome.response);
  }

  /// Sends a signed request as a merchant and checks the signature of the response.
  SandboxReply call(const std::string& method, const std::string& target, const std::string& body = "") {
    const std::string timestamp = fmt::format("{}", SystemClock().now().ms / 1000);
    net::Headers headers;
    headers.add("Content-Type", "application/json");
    headers.add(kTimestampHeader, timestamp);
    headers.add(kSignatureHeader, request_signature(kTestSecret, method, target, timestamp, body));
    SandboxReply answer = read(exchange(method, target, body, std::move(headers)));
    expect_signed(answer.response.headers, answer.response.body);
    return answer;
  }

  /// Sends an unsigned request.
  SandboxReply visit(const std::string& method, const std::string& target,
                     const std::string& accept = "application/json") {
    net::Headers headers;
    headers.add("Accept", accept);
    return read(exchange(method, target, "", std::move(headers)));
  }

  boost::json::object order(const std::string& out_trade_no, const std::string& scenario = "manual") {
    return {
        {"out_trade_no", out_trade_no},  {"amount", 1234},      {"currency", "CNY"}, {"subject", "Tea & <biscuits>"},
        {"notify_url", receiver_.url()}, {"scenario", scenario}};
  }

  SandboxReply create(const boost::json::object& order, const std::string& channel = "sandbox") {
    return call("POST", "/" + channel + "/trades", boost::json::serialize(order));
  }

  SandboxReply query(const std::string& out_trade_no) { return call("GET", "/sandbox/trades/" + out_trade_no); }

  SandboxReply refund(const std::string& out_refund_no, const std::string& trade_no, std::int64_t amount,
                      const std::string& currency = "CNY") {
    const boost::json::object body{
        {"out_refund_no", out_refund_no}, {"trade_no", trade_no}, {"amount", amount}, {"currency", currency}};
    return call("POST", "/sandbox/refunds", boost::json::serialize(body));
  }

  /// Waits until the trade has a settlement, and returns the reply of its query.
  SandboxReply wait_for_settlement(const std::string& out_trade_no) {
    wait([&] { return query(out_trade_no).trade().contains("settlement"); });
    return query(out_trade_no);
  }

  SandboxReply wait_for_state(const std::string& out_trade_no, const std::string& state) {
    wait([&] { return query(out_trade_no).state() == state; });
    const SandboxReply answer = query(out_trade_no);
    EXPECT_EQ(answer.state(), state);
    return answer;
  }

  /// Makes the statements of a day, or month, of China time available immediately. `channel` is encoded for a path.
  void publish_early(const std::string& channel, const std::string& date) {
    EXPECT_EQ(visit("POST", "/statements/" + channel + "/faults?fault=early_file&date=" + date).status, 200);
  }

  /// Returns `to_come` of GET /ledger: the number of planned events and outstanding notifications.
  std::int64_t outstanding_count() { return visit("GET", "/ledger").json.at("to_come").as_int64(); }

  /// Waits until `condition` returns true. The test fails after kPatience.
  template <class Condition>
  static void wait(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(Duration{10});
  }

  static void expect_signed(const net::Headers& headers, const std::string& body) {
    const std::string timestamp(headers.get(kTimestampHeader));
    EXPECT_EQ(headers.get(kSignatureHeader), message_signature(kTestSecret, timestamp, body)) << body;
  }

  static SandboxReply read(net::HttpResponse response) {
    boost::json::error_code error;
    boost::json::value json = boost::json::parse(response.body, error);
    return {.status = response.status, .json = std::move(json), .response = std::move(response)};
  }

  std::filesystem::path directory_;
  std::shared_ptr<const Clock> clock_;  // Options::clock for the next start(); null: the system clock
  net::IoPool io_{2};
  Receiver receiver_;
  std::unique_ptr<net::HttpClient> client_ = net::HttpClient::create(io_);
  std::unique_ptr<Sandbox> sandbox_;
};

}  // namespace finality::sandbox
