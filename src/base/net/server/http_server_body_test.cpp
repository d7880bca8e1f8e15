#include "base/net/http_server.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/net/server/test_http_server.h"

namespace finality::net {
namespace {

class HttpServerBodyTest : public HttpServerTest {};

INSTANTIATE_TEST_SUITE_P(Threads, HttpServerBodyTest, testing::Values(1, 3));

TEST_P(HttpServerBodyTest, AcceptsAChunkedBody) {
  serve_echo();
  TestSocket client = connect();
  client.send(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: "
      "1\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "POST /c hello world");
  client.send(post("/after", ""));
  EXPECT_EQ(body_of(client.read_response()), "POST /after ");
}

TEST_P(HttpServerBodyTest, RejectsABodyOverTheLimitAndTheClientCanReadTheResponse) {
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

TEST_P(HttpServerBodyTest, RejectsAChunkedBodyOverTheLimit) {
  options_.body_bytes_max = 1000;
  serve_echo();
  TestSocket client = connect();
  client.send("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) client.send("190\r\n" + std::string(400, 'x') + "\r\n");
  EXPECT_EQ(status_of(client.read_response()), "413");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerBodyTest, AcceptsABodyOfExactlyTheLimit) {
  options_.body_bytes_max = 1000;
  serve_echo();
  TestSocket client = connect();
  client.send(post("/", std::string(1000, 'x')));
  EXPECT_EQ(status_of(client.read_response()), "200");
}

// Permits bodies of up to 2000 bytes for /upload, and counts the permits.
BodyRules permits_of_uploads(std::shared_ptr<std::atomic<int>> permits) {
  return {.bytes_max = [](const HttpRequest& head) -> std::size_t { return head.path() == "/upload" ? 2000 : 0; },
          .permit =
              [permits](const HttpRequest& head, const BodyRules::Done& done) {
                EXPECT_EQ(head.path(), "/upload");
                EXPECT_FALSE(head.peer.empty());
                ++*permits;
                done(Permit(permits.get(), [permits](const void*) { --*permits; }));
              }};
}

TEST_P(HttpServerBodyTest, AcceptsALargeBodyOnlyForRequestsThatCanHaveOne) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 1000;
  options_.body_rules = permits_of_uploads(permits);
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

TEST_P(HttpServerBodyTest, LimitsALargeChunkedBody) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 10;
  options_.body_rules = permits_of_uploads(permits);
  serve_echo();
  const std::string head = "POST /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "3e8\r\n" + std::string(1000, 'x') + "\r\n";
  TestSocket client = connect();
  client.send(head + chunk + chunk + "0\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "POST /upload " + std::string(2000, 'x'));
  client.send(head + chunk + chunk + "1\r\nx\r\n");
  EXPECT_EQ(status_of(client.read_response()), "413");
}

TEST_P(HttpServerBodyTest, ReadsALargeBodyOnlyAfterItsPermit) {
  std::promise<BodyRules::Done> asked;
  options_.body_bytes_max = 10;
  options_.body_rules = {.bytes_max = [](const HttpRequest&) -> std::size_t { return 20; },
                         .permit = [&](const HttpRequest&, BodyRules::Done done) { asked.set_value(done); }};
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

TEST_P(HttpServerBodyTest, ReadsALargeBodyInPiecesAndThenTheNextRequest) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 10;
  options_.body_rules = permits_of_uploads(permits);
  serve_echo();
  TestSocket client = connect();
  const std::string both = post("/upload", std::string(2000, 'x')) + post("/next", "end");
  for (std::size_t at = 0; at < both.size(); at += 100) client.send(both.substr(at, 100));
  EXPECT_EQ(body_of(client.read_response()), "POST /upload " + std::string(2000, 'x'));
  EXPECT_EQ(body_of(client.read_response()), "POST /next end");
}

TEST_P(HttpServerBodyTest, HasALongerTimeoutOnlyForALargeBodyWithAPermit) {
  std::promise<BodyRules::Done> asked;
  options_.body_bytes_max = 10;
  options_.request_timeout = Duration{50};
  options_.body_rules = {.bytes_max = [](const HttpRequest&) -> std::size_t { return 20; },
                         .permit = [&](const HttpRequest&, BodyRules::Done done) { asked.set_value(done); },
                         .large_timeout = Duration{200}};
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

TEST_P(HttpServerBodyTest, EndsALargeBodyThatPausesAndReturnsItsPermit) {
  const auto permits = std::make_shared<std::atomic<int>>(0);
  options_.body_bytes_max = 10;
  options_.body_rules = permits_of_uploads(permits);
  options_.body_rules.large_rate_min = 1000;
  options_.body_rules.large_rate_window = Duration{100};
  serve_echo();
  TestSocket slow = connect();
  slow.send("POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 2000\r\n\r\n" + std::string(1500, 'x'));
  EXPECT_EQ(status_of(slow.read_response()), "408");
  EXPECT_TRUE(slow.at_end());
  EXPECT_EQ(*permits, 0);
}

TEST_P(HttpServerBodyTest, ReadsALargeBodyAsLongAsItHasTheMinimumRate) {
  options_.body_bytes_max = 10;
  options_.body_rules = {.bytes_max = [](const HttpRequest&) -> std::size_t { return 64 << 20; },
                         .permit = [](const HttpRequest&, BodyRules::Done done) { done(std::make_shared<int>()); },
                         .large_rate_min = 1,
                         .large_rate_window = Duration{500}};
  serve_echo();
  TestSocket client = connect();
  const auto end = std::chrono::steady_clock::now() + 3 * options_.body_rules.large_rate_window;
  client.send("POST /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  while (std::chrono::steady_clock::now() < end) client.send("1\r\nx\r\n");
  client.send("0\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), "200");
}

TEST_P(HttpServerBodyTest, Sends100ContinueWhenTheClientExpectsIt) {
  serve_echo();
  TestSocket client = connect();
  client.send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_EQ(body_of(client.read_response()), "POST /e body");
}

TEST_P(HttpServerBodyTest, RejectsInsteadOfContinueWhenTheBodyWouldBeTooLarge) {
  options_.body_bytes_max = 10;
  serve_echo();
  TestSocket client = connect();
  client.send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), "413");
}

// Permits no body; the answer names the path and the client.
BodyRules rules_that_permit_nothing() {
  return {.permit = [](const HttpRequest& head, const BodyRules::Done& done) {
    done(std::unexpected(text(std::string(head.path()) + " " + head.peer, 401)));
  }};
}

TEST_P(HttpServerBodyTest, RejectsALongOrChunkedBodyBeforeItIsSent) {
  options_.unchecked_body_bytes_max = 10;
  options_.body_rules = rules_that_permit_nothing();
  serve_echo();
  for (const std::string framing : {"Content-Length: 11", "Transfer-Encoding: chunked"}) {
    TestSocket client = connect();
    client.send("POST /l HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n" + framing + "\r\n\r\n");
    const std::string response = client.read_response();
    EXPECT_EQ(status_of(response), "401") << framing;
    EXPECT_EQ(body_of(response), "/l 127.0.0.1");
    EXPECT_TRUE(client.at_end());
  }
}

TEST_P(HttpServerBodyTest, ReadsAShortBodyWithoutAsking) {
  options_.unchecked_body_bytes_max = 10;
  options_.body_rules = rules_that_permit_nothing();
  serve_echo();
  TestSocket client = connect();
  client.send(post("/s", "0123456789"));
  EXPECT_EQ(body_of(client.read_response()), "POST /s 0123456789");
  client.send("GET /g HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "GET /g ");
}

TEST_P(HttpServerBodyTest, RejectsABodyThatExceedsTheClientsMemory) {
  constexpr std::size_t kBody = 3 * limits::kBytesUnit;
  options_.client_bytes_max = 2 * kBody - 1;
  serve_echo();
  const std::string body(kBody, 'x');
  const std::string request = post("/b", body);
  TestSocket first = connect();
  first.send(request.substr(0, request.size() - 1));
  wait_for([&] { return server_->counts().waiting_bytes == kBody; });
  TestSocket second = connect();
  second.send(request);
  EXPECT_EQ(status_of(second.read_response()), "503");
  EXPECT_TRUE(second.at_end());
  EXPECT_EQ(server_->counts().bodies_over_budget, 1);
  TestSocket other = TestSocket::connect(server_->port(), 2);
  other.send(request);
  EXPECT_EQ(status_of(other.read_response()), "200");
  first.send("x");
  EXPECT_EQ(body_of(first.read_response()), "POST /b " + body);
  wait_for([&] { return server_->counts().waiting_bytes == 0; });
  TestSocket third = connect();
  third.send(request);
  EXPECT_EQ(status_of(third.read_response()), "200");
  wait_for([&] { return server_->counts().waiting_bytes == 0; });
}

TEST_P(HttpServerBodyTest, CountsAChunkedBodyAsItGrows) {
  serve_echo();
  TestSocket client = connect();
  client.send("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 4; ++i) client.send("10000\r\n" + std::string(0x10000, 'x') + "\r\n");
  wait_for([&] { return server_->counts().waiting_bytes >= 4 * 0x10000; });
  client.send("0\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()).size(), 4 * 0x10000 + std::string("POST /c ").size());
}

}  // namespace
}  // namespace finality::net
