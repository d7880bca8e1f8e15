#include "base/net/http_server.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/net/server/test_http_server.h"

namespace finality::net {
namespace {

class HttpServerLimitsTest : public HttpServerTest {};

INSTANTIATE_TEST_SUITE_P(Threads, HttpServerLimitsTest, testing::Values(1, 3));

constexpr std::size_t kLong = 256 << 10;

TEST_P(HttpServerLimitsTest, ClosesTheLongestIdleConnectionToAcceptAnother) {
  options_.connections_max = 2;
  serve_echo();
  TestSocket first = connect();
  first.send(post("/1", ""));
  EXPECT_EQ(body_of(first.read_response()), "POST /1 ");
  TestSocket second = connect();
  second.send(post("/2", ""));
  EXPECT_EQ(body_of(second.read_response()), "POST /2 ");
  TestSocket third = connect();
  third.send(post("/3", ""));
  EXPECT_EQ(body_of(third.read_response()), "POST /3 ");
  EXPECT_TRUE(first.at_end());
  second.send(post("/2-again", ""));
  EXPECT_EQ(status_of(second.read_response()), "200");
  EXPECT_EQ(server_->counts().connections_evicted, 1);
  EXPECT_EQ(server_->counts().connections, 2);
}

TEST_P(HttpServerLimitsTest, ClosesNoConnectionWithARequestWhileAnotherIsIdle) {
  options_.connections_max = 2;
  serve_held();
  TestSocket busy = connect();
  busy.send(post("/busy", ""));
  held_.expect();
  TestSocket idle = connect();
  idle.send(post("/idle", ""));
  held_.expect();
  held_.respond("/idle")(text("idle"));
  EXPECT_EQ(body_of(idle.read_response()), "idle");
  TestSocket newcomer = connect();
  newcomer.send(post("/new", ""));
  held_.expect();
  EXPECT_TRUE(idle.at_end());
  held_.respond("/busy")(text("busy"));
  held_.respond("/new")(text("new"));
  EXPECT_EQ(body_of(busy.read_response()), "busy");
  EXPECT_EQ(body_of(newcomer.read_response()), "new");
}

TEST_P(HttpServerLimitsTest, AConnectionWaitsWhileAllOthersAreBusy) {
  options_.connections_max = 1;
  serve_held();
  TestSocket first = connect();
  first.send(post("/1", ""));
  held_.expect();
  TestSocket second = connect();
  second.send(post("/2", ""));
  held_.respond("/1")(text("one"));
  EXPECT_EQ(body_of(first.read_response()), "one");
  held_.expect();
  held_.respond("/2")(text("two"));
  EXPECT_EQ(body_of(second.read_response()), "two");
}

TEST_P(HttpServerLimitsTest, IdleConnectionsOfAClientCloseOnlyItsOwn) {
  options_.client_connections_max = 4;
  options_.connections_max = 16;
  serve_echo();
  TestSocket other = TestSocket::connect(server_->port(), 2);
  other.send(post("/1", ""));
  EXPECT_EQ(body_of(other.read_response()), "POST /1 ");
  std::vector<TestSocket> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(connect());
    crowd.back().send(post("/c", ""));
    EXPECT_EQ(body_of(crowd.back().read_response()), "POST /c ");
  }
  EXPECT_TRUE(crowd.front().at_end());
  other.send(post("/2", ""));
  EXPECT_EQ(body_of(other.read_response()), "POST /2 ");
  wait_for([&] { return server_->counts().connections == 5; });
}

TEST_P(HttpServerLimitsTest, RefusesAConnectionOfAClientWhoseConnectionsAreBusy) {
  options_.client_connections_max = 1;
  serve_held();
  TestSocket busy = connect();
  busy.send(post("/busy", ""));
  held_.expect();
  EXPECT_EQ(answer_to_newcomer(), "");
  EXPECT_EQ(server_->counts().connections_refused, 1);
  TestSocket other = TestSocket::connect(server_->port(), 2);
  other.send(post("/other", ""));
  held_.expect();
  held_.respond("/busy")(text("busy"));
  held_.respond("/other")(text("other"));
  EXPECT_EQ(body_of(busy.read_response()), "busy");
  EXPECT_EQ(body_of(other.read_response()), "other");
}

TEST_P(HttpServerLimitsTest, ATrustedProxyNamesTheClientAndHasNoLimitPerClient) {
  options_.client_connections_max = 1;
  options_.trusted_proxies = AddressBlocks::parse({"127.0.0.1"}).value();
  serve([](HttpRequest request, Respond respond) { respond(text(request.peer)); });
  std::vector<TestSocket> connections;
  for (int i = 0; i < 3; ++i) {
    connections.push_back(connect());
    connections.back().send(post("/", "", "X-Forwarded-For: 192.0.2.7\r\n"));
    EXPECT_EQ(body_of(connections.back().read_response()), "192.0.2.7");
  }
  for (TestSocket& one : connections) {
    one.send(post("/", "", "Forwarded: for=192.0.2.8\r\n"));
    EXPECT_EQ(body_of(one.read_response()), "192.0.2.8");
  }
  TestSocket other = TestSocket::connect(server_->port(), 2);
  other.send(post("/", "", "X-Forwarded-For: 192.0.2.7\r\n"));
  EXPECT_EQ(body_of(other.read_response()), "127.0.0.2");
}

// Sends requests without reading the responses.
TestSocket flood(TestSocket client, int requests) {
  std::string all;
  for (int i = 0; i < requests; ++i) all += post("/long", "");
  client.send(all);
  return client;
}

TEST_P(HttpServerLimitsTest, UnreadResponsesNeedLimitedMemoryAndAllAreSentInTheEnd) {
  std::atomic<std::size_t> most = 0;
  std::atomic<int> handled = 0;
  serve([&](HttpRequest, Respond respond) {
    most = std::max<std::size_t>(most, server_->counts().waiting_bytes);
    ++handled;
    respond(text(std::string(kLong, 'x')));
  });
  constexpr int kRequests = 300;
  TestSocket client = flood(connect(), kRequests);
  wait_for([&] { return server_->counts().waiting_bytes >= kLong; });
  EXPECT_LT(handled, kRequests);
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(body_of(client.read_response()).size(), kLong);
  EXPECT_LE(most, options_.connection_bytes_max);
  wait_for([&] { return server_->counts().waiting_bytes == 0; });
}

TEST_P(HttpServerLimitsTest, ClosesAClientThatExceedsItsMemoryAndDoesNotRead) {
  options_.client_bytes_max = 1 << 20;
  options_.stalled_max = Duration{50};
  serve([](HttpRequest request, Respond respond) {
    respond(text(request.target == "/long" ? std::string(kLong, 'x') : "short"));
  });
  std::vector<TestSocket> crowd;
  for (int i = 0; i < 8; ++i) crowd.push_back(flood(connect(), 64));
  wait_for([&] { return server_->counts().connections_over_budget > 0; });
  TestSocket newcomer = connect();
  newcomer.send(post("/short", ""));
  EXPECT_EQ(body_of(newcomer.read_response()), "short");
}

TEST_P(HttpServerLimitsTest, AClientIsAnsweredWhileAnotherExhaustsTheServersMemory) {
  options_.server_bytes_max = 1 << 20;
  serve([](HttpRequest request, Respond respond) {
    respond(text(request.target == "/long" ? std::string(kLong, 'x') : "short"));
  });
  std::vector<TestSocket> crowd;
  for (int i = 0; i < 8; ++i) crowd.push_back(flood(connect(), 64));
  wait_for([&] { return server_->counts().waiting_bytes > options_.server_bytes_max / 2; });
  TestSocket other = TestSocket::connect(server_->port(), 2);
  for (int i = 0; i < 10; ++i) {
    other.send(post("/short", ""));
    EXPECT_EQ(body_of(other.read_response()), "short");
  }
}

TEST_P(HttpServerLimitsTest, ClosesAConnectionWhoseResponsesExceedTwiceTheLimit) {
  options_.client_bytes_max = 4 * kLong;
  serve_held();
  TestSocket client = connect();
  constexpr int kRequests = 12;  // are read before the first response shows how long they are
  for (int i = 0; i < kRequests; ++i) client.send(post("/" + std::to_string(i), ""));
  for (int i = 0; i < kRequests; ++i) held_.expect();
  for (int i = kRequests - 1; i > 0; --i) held_.respond("/" + std::to_string(i))(text(std::string(kLong, 'x')));
  wait_for([&] { return server_->counts().connections_over_budget == 1; });
  wait_for([&] { return server_->counts().connections == 0; });
  EXPECT_EQ(server_->counts().waiting_bytes, 0);
}

TEST_P(HttpServerLimitsTest, CountsAShortBodyWhileItIsReceived) {
  serve_echo();
  const std::string request = post("/b", std::string(1000, 'x'));
  TestSocket client = connect();
  client.send(request.substr(0, request.size() - 1));
  wait_for([&] { return server_->counts().waiting_bytes == limits::kBytesUnit; });
  client.send("x");
  EXPECT_EQ(status_of(client.read_response()), "200");
  wait_for([&] { return server_->counts().waiting_bytes == 0; });
}

TEST_P(HttpServerLimitsTest, ClosesAClientWhoseShortBodiesExceedItsMemory) {
  constexpr std::size_t kConnections = 12;
  options_.client_bytes_max = 4 * limits::kUncheckedBodyBytesMax;
  options_.stalled_max = Duration{50};
  serve_echo();
  const std::string request = post("/b", std::string(limits::kUncheckedBodyBytesMax, 'x'));
  std::vector<TestSocket> crowd;
  for (std::size_t i = 0; i < kConnections; ++i) {
    crowd.push_back(connect());
    crowd.back().send(request.substr(0, request.size() - 1));
  }
  wait_for([&] { return server_->counts().connections_over_budget > 0; });
  wait_for([&] { return server_->counts().waiting_bytes <= options_.client_bytes_max; });
  TestSocket newcomer = connect();
  newcomer.send(post("/n", ""));
  EXPECT_EQ(body_of(newcomer.read_response()), "POST /n ");
}

TEST_P(HttpServerLimitsTest, AConstantBodyNeedsNoMemory) {
  static const std::string kConstant(8 << 20, 'c');
  serve([](HttpRequest, Respond respond) {
    HttpResponse response;
    response.constant_body = kConstant;
    respond(std::move(response));
  });
  TestSocket client = flood(connect(), 10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(body_of(client.read_response()).size(), kConstant.size());
    EXPECT_LT(server_->counts().waiting_bytes, kConstant.size());
  }
}

}  // namespace
}  // namespace finality::net
