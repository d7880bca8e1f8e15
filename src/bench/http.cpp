#include "bench/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <future>
#include <unordered_set>
#include <vector>

#include "app/commands/report.h"
#include "base/limits.h"
#include "base/net/http_server.h"
#include "base/net/http_url.h"
#include "base/time/time.h"
#include "bench/load.h"

namespace finality::bench {

using namespace app;
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using Steady = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kWarmUp{1};
constexpr auto kTick = std::chrono::microseconds(500);
constexpr auto kProgressTimeout = std::chrono::seconds(60);

double quantile(const std::vector<double>& sorted, double at) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(at * static_cast<double>(sorted.size() - 1))];
}

// Generates requests that create orders with unique merchant order numbers.
class Orders {
 public:
  Orders(std::string key, std::string authority, std::string more_fields)
      : key_(std::move(key)), authority_(std::move(authority)), more_fields_(std::move(more_fields)) {}

  std::string next() {
    const std::string number = fmt::format("{}-{}", run_, ++count_);
    const std::string body = fmt::format(
        R"({{"merchant_order_no":"{}","amount":8000,"currency":"CNY","subject":"Tea"{}}})", number, more_fields_);
    return fmt::format(
        "POST /v1/orders HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n"
        "Idempotency-Key: {}\r\nContent-Length: {}\r\n\r\n{}",
        authority_, key_, number, body.size(), body);
  }

 private:
  std::string key_;
  std::string authority_;
  std::string more_fields_;
  std::int64_t run_ = SystemClock().now().ms;
  std::size_t count_ = 0;
};

// Sends requests at a fixed rate without waiting for responses (open loop).
class FixedRate {
 public:
  FixedRate(const HttpBench& options, asio::io_context& context, HttpLoad& load, Orders& orders)
      : options_(options), timer_(context), load_(load), orders_(orders) {}

  void start() {
    begin_ = Steady::now();
    tick();
  }
  /// REQUIRES: all requests have been answered.
  json::object result() {
    std::ranges::sort(latencies_ms_);
    return {{"rate", options_.rate},
            {"requests", sent_},
            {"measured", latencies_ms_.size()},
            {"failed", failed_},
            {"latency_ms", json::object{{"p50", quantile(latencies_ms_, 0.5)},
                                        {"p99", quantile(latencies_ms_, 0.99)},
                                        {"p999", quantile(latencies_ms_, 0.999)},
                                        {"max", quantile(latencies_ms_, 1)}}}};
  }

 private:
  Steady::time_point due(std::size_t number) const {
    return begin_ + std::chrono::duration_cast<Steady::duration>(Seconds(static_cast<double>(number) / options_.rate));
  }

  void tick() {
    const auto now = Steady::now();
    const auto end = begin_ + std::chrono::duration_cast<Steady::duration>(kWarmUp + Seconds(options_.seconds));
    for (auto at = due(sent_); at <= now && at < end; at = due(sent_)) {
      ++sent_;
      load_.send(orders_.next(), [this, at](int status) { answered(at, status); });
    }
    if (due(sent_) >= end) return;
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code&) { tick(); });
  }

  void answered(Steady::time_point at, int status) {
    if (status != 201) ++failed_;
    if (at - begin_ < kWarmUp) return;
    latencies_ms_.push_back(std::chrono::duration<double, std::milli>(Steady::now() - at).count());
  }

  const HttpBench& options_;
  asio::steady_timer timer_;
  HttpLoad& load_;
  Orders& orders_;
  Steady::time_point begin_;
  std::size_t sent_ = 0;
  std::size_t failed_ = 0;
  std::vector<double> latencies_ms_;
};

// Creates orders whose simulated payers pay automatically; a fixed number of orders is in flight. An order is complete
// when the merchant's server, which this class simulates, receives its webhook.
class WholePayments {
 public:
  WholePayments(const HttpBench& options, asio::io_context& context, HttpLoad& load)
      : options_(options), context_(context), load_(load), timer_(context) {}

  Result<void> listen(net::IoPool& io) {
    auto server = net::HttpServer::listen(
        io, {.client_connections_max = limits::kConnectionsMax},
        [this](net::HttpRequest request, const net::Respond& respond) {
          respond({.status = 200});
          asio::post(context_, [this, id = std::string(request.headers.get("webhook-id"))] { notified(id); });
        });
    if (!server) return std::unexpected(server.error());
    server_ = std::move(*server);
    return {};
  }

  void start(const std::string& authority) {
    orders_.emplace(options_.key, authority,
                    fmt::format(R"(,"notify_url":"http://127.0.0.1:{}/",)"
                                R"("payment":{{"channel":"{}","scenario":"pays"}})",
                                server_->port(), options_.channel));
    begin_ = Steady::now();
    for (std::size_t i = 0; i < std::min(options_.clients, options_.payments); ++i) start_next();
    watch(0);
  }
  bool complete() const { return notified_ids_.size() == options_.payments; }
  json::object result() const {
    return {{"payments", notified_ids_.size()},
            {"failed", failed_},
            {"seconds", seconds_},
            {"payments_per_second", static_cast<double>(notified_ids_.size()) / seconds_}};
  }

 private:
  void start_next() {
    if (started_ == options_.payments) return;
    ++started_;
    load_.send(orders_->next(), [this](int status) {
      if (status != 201) ++failed_;
    });
  }

  // Counts a completed order and starts the next. Counts a webhook that is delivered repeatedly only once.
  void notified(const std::string& id) {
    if (!notified_ids_.insert(id).second) return;
    seconds_ = Seconds(Steady::now() - begin_).count();
    if (complete())
      context_.stop();
    else
      start_next();
  }

  void watch(std::size_t count_before) {
    timer_.expires_after(kProgressTimeout);
    timer_.async_wait([this, count_before](const boost::system::error_code&) {
      if (notified_ids_.size() == count_before)
        context_.stop();
      else
        watch(notified_ids_.size());
    });
  }

  const HttpBench& options_;
  asio::io_context& context_;
  HttpLoad& load_;
  asio::steady_timer timer_;
  std::unique_ptr<net::HttpServer> server_;
  std::optional<Orders> orders_;
  Steady::time_point begin_;
  double seconds_ = 0;
  std::size_t started_ = 0;
  std::size_t failed_ = 0;
  std::unordered_set<std::string> notified_ids_;
};

int print(const json::object& result, bool good, const char* complaint) {
  fmt::print("{}\n", json::serialize(result));
  return good ? 0 : report({complaint});
}

int measure_orders(const HttpBench& options, asio::io_context& context, HttpLoad& load, const std::string& authority) {
  Orders orders(options.key, authority, "");
  FixedRate traffic(options, context, load, orders);
  traffic.start();
  context.run();
  const json::object result = traffic.result();
  return print(result, result.at("failed").as_uint64() == 0, "not all orders were created");
}

int measure_payments(const HttpBench& options, asio::io_context& context, HttpLoad& load,
                     const std::string& authority) {
  net::IoPool io(1);
  WholePayments payments(options, context, load);
  if (auto listening = payments.listen(io); !listening) return report(listening.error());
  payments.start(authority);
  context.run();
  return print(payments.result(), payments.complete(), "the merchant did not receive a webhook for every payment");
}

}  // namespace

int run_http_bench(const HttpBench& options) {
  const auto url = net::parse_http_url(options.url);
  if (!url) return report(url.error());
  asio::io_context context;
  const auto load = HttpLoad::connect(context, url->host, url->port, options.connections);
  if (!load) return report(load.error());
  return options.payments == 0 ? measure_orders(options, context, **load, url->authority)
                               : measure_payments(options, context, **load, url->authority);
}

int run_constant_bench(const ConstantBench& options) {
  net::IoPool io(1);  // one I/O thread, like a server by default
  std::promise<void> stopped;
  io.on_stop_signal([&stopped] { stopped.set_value(); });
  const std::string body(options.bytes, 'x');
  auto server = net::HttpServer::listen(io, {.port = options.port, .client_connections_max = limits::kConnectionsMax},
                                        [&body](const net::HttpRequest&, const net::Respond& respond) {
                                          net::HttpResponse response{.status = 201, .headers = {}, .body = body};
                                          response.headers.add("Content-Type", "application/json");
                                          respond(std::move(response));
                                        });
  if (!server) return report(server.error());
  fmt::print("{}\n", (*server)->port());
  std::fflush(stdout);
  stopped.get_future().wait();
  return 0;
}

}  // namespace finality::bench
