#include "base/net/http_server.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/net/test_socket.h"

namespace finality::net {
namespace {

std::string status_of(const std::string& response) { return response.size() < 12 ? response : response.substr(9, 3); }

std::string body_of(const std::string& response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string::npos ? "" : response.substr(end + 4);
}

bool says(const std::string& response, const std::string& line) {
  return response.find("\r\n" + line + "\r\n") != std::string::npos;
}

std::string post(const std::string& target, const std::string& body, const std::string& fields = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: here\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

HttpResponse text(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
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
    options_.refuse = [](int status, const HttpRequest& request) {
      return text("refused " + request.method + " " + request.target, status);
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

INSTANTIATE_TEST_SUITE_P(Threads, HttpServerTest, testing::Values(1, 3));

TEST_P(HttpServerTest, PassesTheRequestToTheHandlerAndWritesTheResponse) {
  serve([](HttpRequest request, Respond respond) {
    HttpResponse response =
        text(request.body + "|" + std::string(request.headers.get("x-note")) + "|" + request.peer, 201);
    response.headers.add("Location", "/things/1");
    response.headers.add("Content-Length", "9999");
    response.headers.add("X-Split", "a\r\nSet-Cookie: b");
    EXPECT_EQ(request.path(), "/things");
    EXPECT_EQ(request.query(), "a=1&b=2");
    respond(std::move(response));
  });
  TestSocket client = connect();
  client.send(post("/things?a=1&b=2", "hello", "X-Note: seen\r\n"));
  const std::string response = client.read_response();
  EXPECT_TRUE(response.starts_with("HTTP/1.1 201 Created\r\n")) << response;
  EXPECT_TRUE(says(response, "Location: /things/1"));
  EXPECT_TRUE(says(response, "Content-Length: 20"));
  EXPECT_TRUE(says(response, "X-Split: a  Set-Cookie: b"));
  EXPECT_EQ(body_of(response), "hello|seen|127.0.0.1");
}

TEST_P(HttpServerTest, KeepsTheConnectionForMoreRequests) {
  serve_echo();
  TestSocket client = connect();
  for (int i = 0; i < 50; ++i) {
    client.send(post("/" + std::to_string(i), std::string(static_cast<std::size_t>(i) * 100, 'x')));
    EXPECT_EQ(body_of(client.read_response()),
              "POST /" + std::to_string(i) + " " + std::string(static_cast<std::size_t>(i) * 100, 'x'));
  }
}

TEST_P(HttpServerTest, ReadsARequestThatArrivesByteByByte) {
  serve_echo();
  TestSocket client = connect();
  for (const char c : post("/slow", "body")) client.send(std::string(1, c));
  EXPECT_EQ(body_of(client.read_response()), "POST /slow body");
}

TEST_P(HttpServerTest, RespondsInRequestOrderWhenHandlersRespondInAnotherOrder) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/1", "") + post("/2", "") + post("/3", ""));
  for (int i = 0; i < 3; ++i) held_.expect();
  held_.respond("/3")(text("third"));
  held_.respond("/2")(text("second"));
  held_.respond("/1")(text("first"));
  EXPECT_EQ(body_of(client.read_response()), "first");
  EXPECT_EQ(body_of(client.read_response()), "second");
  EXPECT_EQ(body_of(client.read_response()), "third");
}

TEST_P(HttpServerTest, AnswersAHundredThousandBytesOfPipelinedRequests) {
  serve_echo();
  TestSocket client = connect();
  constexpr int kRequests = 1000;
  std::thread writer([&] {
    std::string all;
    for (int i = 0; i < kRequests; ++i) all += post("/" + std::to_string(i), std::string(100, 'b'));
    client.send(all);
  });
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_EQ(body_of(client.read_response()), "POST /" + std::to_string(i) + " " + std::string(100, 'b'));
  }
  writer.join();
}

TEST_P(HttpServerTest, AcceptsAChunkedBody) {
  serve_echo();
  TestSocket client = connect();
  client.send(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: "
      "1\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "POST /c hello world");
  client.send(post("/after", ""));
  EXPECT_EQ(body_of(client.read_response()), "POST /after ");
}

TEST_P(HttpServerTest, RejectsABodyOverTheLimitAndTheClientCanReadTheResponse) {
  options_.body_bytes_max = 1 << 20;
  serve_echo();
  TestSocket client = connect();
  EXPECT_TRUE(client.send(post("/large", std::string(2 << 20, 'x'))));
  const std::string response = client.read_response();
  EXPECT_EQ(status_of(response), "413");
  EXPECT_TRUE(says(response, "Connection: close"));
  EXPECT_EQ(body_of(response), "refused POST /large");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerTest, RejectsAChunkedBodyOverTheLimit) {
  options_.body_bytes_max = 1000;
  serve_echo();
  TestSocket client = connect();
  client.send("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) client.send("190\r\n" + std::string(400, 'x') + "\r\n");
  EXPECT_EQ(status_of(client.read_response()), "413");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerTest, AcceptsABodyOfExactlyTheLimit) {
  options_.body_bytes_max = 1000;
  serve_echo();
  TestSocket client = connect();
  client.send(post("/", std::string(1000, 'x')));
  EXPECT_EQ(status_of(client.read_response()), "200");
}

// Permits bodies of up to 2000 bytes for /upload, and counts the permits.
LargeBodies permits_of_uploads(std::shared_ptr<std::atomic<int>> permits) {
  return {.bytes_max = [](const HttpRequest& head) -> std::size_t { return head.path() == "/upload" ? 2000 : 0; },
          .permit =
              [permits](const HttpRequest& head, const LargeBodies::Done& done) {
                EXPECT_EQ(head.path(), "/upload");
                EXPECT_FALSE(head.peer.empty());
                ++*permits;
                done(Permit(permits.get(), [permits](const void*) { --*permits; }));
              }};
}

TEST_P(HttpServerTest, AcceptsALargeBodyOnlyForRequestsThatCanHaveOne) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 1000;
  options_.large_bodies = permits_of_uploads(permits);
  serve([&](HttpRequest request, Respond respond) {
    EXPECT_EQ(request.permit != nullptr, request.body.size() > 1000);
    EXPECT_EQ(*permits, request.permit ? 1 : 0);
    request.permit.reset();
    respond(text(std::move(request.body)));
  });
  TestSocket client = connect();
  for (const std::size_t size : {1000u, 1001u, 2000u}) {
    const std::string body(size, 'x');
    client.send(post("/upload?a=1", body));
    EXPECT_EQ(body_of(client.read_response()), body);
    EXPECT_EQ(*permits, 0);
  }
  for (const auto& [target, size] : {std::pair("/upload", 2001u), {"/other", 1001u}}) {
    TestSocket other = connect();
    other.send(post(target, std::string(size, 'x')));
    EXPECT_EQ(status_of(other.read_response()), "413") << target;
  }
}

TEST_P(HttpServerTest, LimitsALargeChunkedBody) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 10;
  options_.large_bodies = permits_of_uploads(permits);
  serve_echo();
  const std::string head = "POST /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "3e8\r\n" + std::string(1000, 'x') + "\r\n";
  TestSocket client = connect();
  client.send(head + chunk + chunk + "0\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "POST /upload " + std::string(2000, 'x'));
  client.send(head + chunk + chunk + "1\r\nx\r\n");
  EXPECT_EQ(status_of(client.read_response()), "413");
}

TEST_P(HttpServerTest, ReadsALargeBodyOnlyAfterItsPermit) {
  std::promise<LargeBodies::Done> asked;
  options_.body_bytes_max = 10;
  options_.large_bodies = {.bytes_max = [](const HttpRequest&) -> std::size_t { return 20; },
                           .permit = [&](const HttpRequest&, LargeBodies::Done done) { asked.set_value(done); }};
  serve_echo();
  const std::string head = "POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n";
  TestSocket client = connect();
  client.send(head);
  asked.get_future().get()(std::make_shared<int>());
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("01234567890");
  EXPECT_EQ(body_of(client.read_response()), "POST /e 01234567890");
  asked = {};
  client.send(head);
  asked.get_future().get()(std::unexpected(text("not now", 503)));
  const std::string rejection = client.read_response();
  EXPECT_EQ(status_of(rejection), "503");
  EXPECT_EQ(body_of(rejection), "not now");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerTest, ReadsALargeBodyInPiecesAndThenTheNextRequest) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 10;
  options_.large_bodies = permits_of_uploads(permits);
  serve_echo();
  TestSocket client = connect();
  const std::string both = post("/upload", std::string(2000, 'x')) + post("/next", "end");
  for (std::size_t at = 0; at < both.size(); at += 100) client.send(both.substr(at, 100));
  EXPECT_EQ(body_of(client.read_response()), "POST /upload " + std::string(2000, 'x'));
  EXPECT_EQ(body_of(client.read_response()), "POST /next end");
}

TEST_P(HttpServerTest, HasALongerTimeoutOnlyForALargeBodyWithAPermit) {
  std::promise<LargeBodies::Done> asked;
  options_.body_bytes_max = 10;
  options_.request_timeout = Duration{50};
  options_.large_bodies = {.bytes_max = [](const HttpRequest&) -> std::size_t { return 20; },
                           .permit = [&](const HttpRequest&, LargeBodies::Done done) { asked.set_value(done); },
                           .request_timeout = Duration{200}};
  serve_echo();
  const auto started = std::chrono::steady_clock::now();
  TestSocket slow = connect();
  slow.send("POST /s HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\n\r\nhalf");
  asked.get_future().get()(std::make_shared<int>());
  EXPECT_EQ(status_of(slow.read_response()), "408");
  EXPECT_GE(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(200));
  asked = {};
  TestSocket undecided = connect();
  undecided.send("POST /s HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\n\r\n");
  EXPECT_EQ(status_of(undecided.read_response()), "408");
  asked.get_future().get()(std::make_shared<int>());
  EXPECT_TRUE(undecided.at_end());
}

TEST_P(HttpServerTest, RejectsHeadersOverTheLimitHoweverTheyArrive) {
  options_.header_bytes_max = 2000;
  serve_echo();
  const std::string start = "GET /x HTTP/1.1\r\nHost: h\r\n";
  std::string many;
  for (int i = 0; i < 100; ++i) many += "X-Field-" + std::to_string(i) + ": some value or other\r\n";
  for (const std::string& request : {start + "X: " + std::string(3000, 'x') + "\r\n\r\n", start + many + "\r\n",
                                     "GET /" + std::string(3000, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n"}) {
    TestSocket at_once = connect();
    at_once.send(request);
    EXPECT_EQ(status_of(at_once.read_response()), "431");
    EXPECT_TRUE(at_once.at_end());
    TestSocket line_by_line = connect();
    for (std::size_t at = 0; at < request.size(); at += 40) line_by_line.send(request.substr(at, 40));
    EXPECT_EQ(status_of(line_by_line.read_response()), "431");
  }
}

TEST_P(HttpServerTest, RejectsInvalidHttp) {
  serve_echo();
  for (const std::string request : {
           "nonsense\r\n\r\n",
           "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\nbad field\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\nName : value\r\n\r\n",
           "GET / HTTP/1.1\nHost: h\n\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
           "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       }) {
    TestSocket client = connect();
    client.send(request);
    EXPECT_EQ(status_of(client.read_response()), "400") << request;
    EXPECT_TRUE(client.at_end()) << request;
  }
}

TEST_P(HttpServerTest, AnswersTheRequestsBeforeAMalformedOne) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/good", "") + "bad\r\n\r\n");
  held_.expect();
  held_.respond("/good")(text("fine"));
  EXPECT_EQ(body_of(client.read_response()), "fine");
  EXPECT_EQ(status_of(client.read_response()), "400");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerTest, RejectsASlowRequestAndClosesAnIdleConnection) {
  options_.request_timeout = Duration{50};
  options_.idle_timeout = Duration{300};
  serve_echo();
  TestSocket slow = connect();
  slow.send("POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf");
  const std::string response = slow.read_response();
  EXPECT_EQ(status_of(response), "408");
  EXPECT_EQ(body_of(response), "refused POST /slow");
  EXPECT_TRUE(slow.at_end());
  TestSocket idle = connect();
  EXPECT_TRUE(idle.at_end());
}

TEST_P(HttpServerTest, DoesNotTimeOutWhileTheHandlerRuns) {
  options_.request_timeout = Duration{20};
  options_.idle_timeout = Duration{300};
  serve_held();
  TestSocket client = connect();
  client.send(post("/", ""));
  held_.expect();
  TestSocket idle = connect();
  EXPECT_TRUE(idle.at_end());
  held_.respond("/")(text("late"));
  EXPECT_EQ(body_of(client.read_response()), "late");
}

TEST_P(HttpServerTest, Sends100ContinueWhenTheClientExpectsIt) {
  serve_echo();
  TestSocket client = connect();
  client.send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_EQ(body_of(client.read_response()), "POST /e body");
}

TEST_P(HttpServerTest, RejectsInsteadOfContinueWhenTheBodyWouldBeTooLarge) {
  options_.body_bytes_max = 10;
  serve_echo();
  TestSocket client = connect();
  client.send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), "413");
}

TEST_P(HttpServerTest, AnswersHeadWithoutABody) {
  serve([](HttpRequest, Respond respond) { respond(text("four")); });
  TestSocket client = connect();
  client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string head = client.read_response(true);
  EXPECT_TRUE(says(head, "Content-Length: 4"));
  EXPECT_EQ(body_of(head), "");
  EXPECT_EQ(body_of(client.read_response()), "four");
}

TEST_P(HttpServerTest, ClosesWhenTheClientAsksAndKeepsHttp10OnlyWhenAsked) {
  serve_echo();
  TestSocket closing = connect();
  closing.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(says(closing.read_response(), "Connection: close"));
  EXPECT_TRUE(closing.at_end());
  TestSocket old = connect();
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(status_of(old.read_response()), "200");
  EXPECT_TRUE(old.at_end());
  TestSocket kept = connect();
  kept.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(says(kept.read_response(), "Connection: keep-alive"));
  kept.send("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(kept.read_response()), "GET /2 ");
}

TEST_P(HttpServerTest, AnswersAClientThatHasShutDownItsSendingSide) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/", ""));
  client.end_sending();
  held_.expect();
  held_.respond("/")(text("still here"));
  EXPECT_EQ(body_of(client.read_response()), "still here");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerTest, Responds500WhenTheHandlerThrowsOrDropsTheRequest) {
  serve([](HttpRequest request, Respond) {
    if (request.target == "/throws") throw std::runtime_error("broken");
  });
  TestSocket client = connect();
  client.send(post("/throws", "") + post("/forgets", ""));
  EXPECT_EQ(status_of(client.read_response()), "500");
  EXPECT_EQ(status_of(client.read_response()), "500");
}

TEST_P(HttpServerTest, UsesOnlyTheFirstResponse) {
  serve([](HttpRequest, Respond respond) {
    respond(text("first"));
    respond(text("second"));
    throw std::runtime_error("after the answer");
  });
  TestSocket client = connect();
  for (int i = 0; i < 2; ++i) {
    client.send(post("/", ""));
    EXPECT_EQ(body_of(client.read_response()), "first");
  }
}

TEST_P(HttpServerTest, AcceptsResponsesFromOtherThreads) {
  serve([](HttpRequest request, Respond respond) {
    std::thread([target = request.target, respond = std::move(respond)] { respond(text(target)); }).detach();
  });
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([this] {
      TestSocket client = connect();
      for (int j = 0; j < 50; ++j) {
        client.send(post("/a", "") + post("/b", ""));
        EXPECT_EQ(body_of(client.read_response()), "/a");
        EXPECT_EQ(body_of(client.read_response()), "/b");
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_P(HttpServerTest, IgnoresAResponseToAClosedConnection) {
  serve_held();
  {
    TestSocket client = connect();
    client.send(post("/gone", ""));
    held_.expect();
    client.reset();
  }
  TestSocket other = connect();
  other.send(post("/here", ""));
  held_.expect();
  held_.respond("/gone")(text("unread"));
  held_.respond("/here")(text("read"));
  EXPECT_EQ(body_of(other.read_response()), "read");
}

TEST_P(HttpServerTest, IgnoresAResponseAfterTheServerIsDestroyed) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/", ""));
  held_.expect();
  server_.reset();
  held_.respond("/")(text("late"));
  held_.forget();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_P(HttpServerTest, DestructionWaitsForARunningHandler) {
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left = false;
  serve([&](HttpRequest, Respond respond) {
    entered.set_value();
    leave.get_future().wait();
    left = true;
    respond(text("unheard"));
  });
  TestSocket client = connect();
  client.send(post("/", ""));
  entered.get_future().wait();
  std::thread releasing([&] { leave.set_value(); });
  server_.reset();
  EXPECT_TRUE(left);
  releasing.join();
}

TEST_P(HttpServerTest, AcceptsAConnectionOverTheLimitWhenAnotherCloses) {
  options_.connections_max = 1;
  serve_echo();
  std::optional<TestSocket> first(connect());
  first->send(post("/1", ""));
  EXPECT_EQ(body_of(first->read_response()), "POST /1 ");
  TestSocket second = connect();
  second.send(post("/2", ""));
  first->send(post("/still first", ""));
  EXPECT_EQ(status_of(first->read_response()), "400");
  first.reset();
  EXPECT_EQ(body_of(second.read_response()), "POST /2 ");
}

TEST_P(HttpServerTest, DrainAnswersReceivedRequestsAndClosesIdleConnections) {
  serve_held();
  TestSocket busy = connect();
  busy.send(post("/1", "") + post("/2", ""));
  held_.expect();
  held_.expect();
  TestSocket idle = connect();
  idle.send(post("/idle", ""));
  held_.expect();
  held_.respond("/idle")(text("before"));
  EXPECT_EQ(body_of(idle.read_response()), "before");

  std::promise<void> drained;
  server_->drain(Duration{10'000}, [&] { drained.set_value(); });
  EXPECT_TRUE(idle.at_end());
  EXPECT_EQ(answer_to_newcomer(), "");
  std::future<void> done = drained.get_future();
  EXPECT_EQ(done.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  held_.respond("/1")(text("one"));
  held_.respond("/2")(text("two"));
  EXPECT_FALSE(says(busy.read_response(), "Connection: close"));
  EXPECT_TRUE(says(busy.read_response(), "Connection: close"));
  EXPECT_TRUE(busy.at_end());
  busy.close();
  EXPECT_EQ(done.wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST_P(HttpServerTest, DrainReadsTheRestOfARequestThatHasBegun) {
  serve_echo();
  TestSocket client = connect();
  client.send(post("/1", "") + "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nha");
  EXPECT_EQ(body_of(client.read_response()), "POST /1 ");
  std::promise<void> drained;
  server_->drain(Duration{10'000}, [&] { drained.set_value(); });
  client.send("lf");
  const std::string response = client.read_response();
  EXPECT_EQ(body_of(response), "POST /2 half");
  EXPECT_TRUE(says(response, "Connection: close"));
  client.close();
  drained.get_future().wait();
}

TEST_P(HttpServerTest, DrainEndsWhenPatienceHasElapsed) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/never", ""));
  held_.expect();
  std::promise<void> drained;
  server_->drain(Duration{20}, [&] { drained.set_value(); });
  drained.get_future().wait();
  server_.reset();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_P(HttpServerTest, DrainOfAServerWithoutConnectionsEndsImmediately) {
  serve_echo();
  std::promise<void> drained;
  server_->drain(Duration{60'000}, [&] { drained.set_value(); });
  EXPECT_EQ(drained.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST_P(HttpServerTest, AnErrorNamesTheAddressAndPort) {
  serve_echo();
  ServerOptions taken;
  taken.port = server_->port();
  const auto second = HttpServer::listen(io_, taken, [](HttpRequest, Respond) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("127.0.0.1 port " + std::to_string(taken.port)), std::string::npos);
  ServerOptions nowhere;
  nowhere.address = "nowhere";
  EXPECT_FALSE(HttpServer::listen(io_, nowhere, [](HttpRequest, Respond) {}));
}

TEST(IoPoolTest, RunsImmediateAndDelayedTasks) {
  IoPool io(2);
  std::promise<void> posted;
  std::promise<void> later;
  io.post([&] { posted.set_value(); });
  io.after(Duration{5}, [&] { later.set_value(); });
  posted.get_future().wait();
  later.get_future().wait();
}

TEST(IoPoolTest, ReportsEachStopSignal) {
  IoPool io(1);
  std::counting_semaphore<> told(0);
  io.on_stop_signal([&] { told.release(); });
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
    ASSERT_TRUE(told.try_acquire_for(std::chrono::seconds(10)));
  }
}

TEST(HttpMessageTest, FindsHeadersIgnoringCaseAndNamesStatuses) {
  Headers headers;
  headers.add("Content-Type", "a");
  headers.add("content-type", "b");
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "a");
  EXPECT_EQ(headers.get("Content"), "");
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(799), "");
  EXPECT_EQ(reason_phrase(-1), "");
}

}  // namespace
}  // namespace finality::net
