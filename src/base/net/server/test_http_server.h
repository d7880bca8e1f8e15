// Fixture of the tests of the HTTP server.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/net/http_server.h"
#include "base/net/test_socket.h"

namespace finality::net {

inline std::string status_of(const std::string& response) {
  return response.size() < 12 ? response : response.substr(9, 3);
}

inline std::string body_of(const std::string& response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string::npos ? "" : response.substr(end + 4);
}

inline bool says(const std::string& response, const std::string& line) {
  return response.find("\r\n" + line + "\r\n") != std::string::npos;
}

inline std::string post(const std::string& target, const std::string& body, const std::string& fields = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: here\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

inline HttpResponse text(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

/// Waits up to ten seconds until the condition is true.
inline void wait_for(const std::function<bool()>& is_true) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!is_true()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Holds requests until the test answers them.
class HeldRequests {
 public:
  void take(HttpRequest request, Respond respond) {
    const std::lock_guard lock(mutex_);
    waiting_[request.target] = std::move(respond);
    arrived_.release();
  }
  /// Waits up to ten seconds until one more request has arrived.
  void expect() { ASSERT_TRUE(arrived_.try_acquire_for(std::chrono::seconds(10))); }
  Respond respond(const std::string& target) {
    const std::lock_guard lock(mutex_);
    return waiting_.at(target);
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Respond> waiting_;
  std::counting_semaphore<> arrived_{0};
};

/// Runs every test with one I/O thread (connections without a strand) and with three.
class HttpServerTest : public testing::TestWithParam<std::size_t> {
 protected:
  void serve(Handler handler) {
    options_.refuse = [](int status, std::string_view reason, const HttpRequest& request) {
      HttpResponse response = text("refused " + request.method + " " + request.target, status);
      response.headers.add("Reason", std::string(reason));
      return response;
    };
    auto server = HttpServer::listen(io_, options_, std::move(handler));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }

  void serve_echo() {
    serve([](HttpRequest request, Respond respond) {
      respond(text(request.method + " " + request.target + " " + request.body));
    });
  }

  void serve_held() {
    serve([this](HttpRequest request, Respond respond) { held_.take(std::move(request), std::move(respond)); });
  }

  /// The response on a new connection; empty if the server closes the connection without a response.
  std::string answer_to_newcomer() {
    try {
      TestSocket client = connect();
      client.send(post("/new", ""));
      return client.read_to_end();
    } catch (const std::runtime_error&) {
      return "";
    }
  }

  TestSocket connect() { return TestSocket::connect(server_->port()); }

  HeldRequests held_;
  IoPool io_{GetParam()};
  ServerOptions options_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace finality::net
