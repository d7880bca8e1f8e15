#include "base/net/http_server.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <map>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/net/server/test_http_server.h"

namespace finality::net {
namespace {

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
