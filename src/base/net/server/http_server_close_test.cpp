#include "base/net/http_server.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/net/server/test_http_server.h"

namespace finality::net {
namespace {

class HttpServerCloseTest : public HttpServerTest {};

INSTANTIATE_TEST_SUITE_P(Threads, HttpServerCloseTest, testing::Values(1, 3));

TEST_P(HttpServerCloseTest, IgnoresAResponseToAClosedConnection) {
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

TEST_P(HttpServerCloseTest, IgnoresAResponseAfterTheServerIsDestroyed) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/", ""));
  held_.expect();
  server_.reset();
  held_.respond("/")(text("late"));
  held_.forget();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_P(HttpServerCloseTest, DestructionWaitsForARunningHandler) {
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

TEST_P(HttpServerCloseTest, DrainAnswersReceivedRequestsAndClosesIdleConnections) {
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

TEST_P(HttpServerCloseTest, DrainReadsTheRestOfARequestThatHasBegun) {
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

TEST_P(HttpServerCloseTest, DrainEndsWhenPatienceHasElapsed) {
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

TEST_P(HttpServerCloseTest, DrainOfAServerWithoutConnectionsEndsImmediately) {
  serve_echo();
  std::promise<void> drained;
  server_->drain(Duration{60'000}, [&] { drained.set_value(); });
  EXPECT_EQ(drained.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

/// Keeps all threads of a pool from running other tasks until release().
class BlockedPool {
 public:
  explicit BlockedPool(IoPool& io) {
    for (std::size_t i = 0; i < io.threads(); ++i) {
      io.post([entered = entered_, released = released_] {
        entered->release();
        released.wait();
      });
    }
    for (std::size_t i = 0; i < io.threads(); ++i) entered_->acquire();
  }
  ~BlockedPool() { release(); }
  void release() {
    if (!std::exchange(is_released_, true)) release_.set_value();
  }

 private:
  // The tasks own copies of these, because they can outlive this object.
  std::shared_ptr<std::counting_semaphore<>> entered_ = std::make_shared<std::counting_semaphore<>>(0);
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  bool is_released_ = false;
};

TEST_P(HttpServerCloseTest, DrainAnswersWhatHasArrivedAndResetsNoConnection) {
  serve_echo();
  TestSocket kept = connect();
  kept.send(post("/before", ""));
  EXPECT_EQ(body_of(kept.read_response()), "POST /before ");
  std::promise<void> drained;
  std::vector<TestSocket> newcomers;
  {
    BlockedPool blocked(io_);
    kept.send(post("/kept", "") + post("/pipelined", ""));
    for (int i = 0; i < 20; ++i) {
      newcomers.push_back(connect());
      newcomers.back().send(post("/new", ""));
    }
    server_->drain(Duration{10'000}, [&] { drained.set_value(); });
  }
  EXPECT_EQ(body_of(kept.read_response()), "POST /kept ");
  const std::string last = kept.read_response();
  EXPECT_EQ(body_of(last), "POST /pipelined ");
  EXPECT_TRUE(says(last, "Connection: close"));
  EXPECT_TRUE(kept.at_end());
  for (TestSocket& newcomer : newcomers) {
    const std::string response = newcomer.read_response();
    EXPECT_EQ(body_of(response), "POST /new ");
    EXPECT_TRUE(says(response, "Connection: close"));
    EXPECT_TRUE(newcomer.at_end());
  }
  kept.close();
  newcomers.clear();
  EXPECT_EQ(drained.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

/// Serves held requests, and keeps HttpRequest::closed of each by its target.
class HttpServerHalfCloseTest : public HttpServerCloseTest {
 protected:
  void serve_with_flags() {
    serve([this](HttpRequest request, Respond respond) {
      {
        const std::lock_guard lock(mutex_);
        closed_[request.target] = request.closed;
      }
      held_.take(std::move(request), std::move(respond));
    });
  }
  bool is_closed(const std::string& target) {
    const std::lock_guard lock(mutex_);
    return *closed_.at(target);
  }
  TestSocket ask(const std::string& target, std::uint32_t host = 1) {
    TestSocket client = TestSocket::connect(server_->port(), host);
    client.send(post(target, ""));
    held_.expect();
    return client;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const std::atomic<bool>>> closed_;
};

INSTANTIATE_TEST_SUITE_P(Threads, HttpServerHalfCloseTest, testing::Values(1, 3));

TEST_P(HttpServerHalfCloseTest, RequestsShowThatTheirConnectionIsClosed) {
  serve_with_flags();
  TestSocket client = connect();
  client.send(post("/1", "") + post("/2", ""));
  held_.expect();
  held_.expect();
  EXPECT_FALSE(is_closed("/1"));
  client.close();  // sends only FIN; the server learns of it at its next read
  wait_for([&] { return is_closed("/1") && is_closed("/2"); });
  held_.forget();
}

TEST_P(HttpServerHalfCloseTest, OneRequestPerClientIsAnsweredAfterTheEndOfTheInput) {
  serve_with_flags();
  TestSocket one = ask("/1");
  TestSocket two = ask("/2");
  TestSocket other = ask("/other", 2);
  for (TestSocket* client : {&one, &two, &other}) client->end_sending();
  wait_for([&] { return is_closed("/1") || is_closed("/2"); });
  EXPECT_NE(is_closed("/1"), is_closed("/2"));
  EXPECT_FALSE(is_closed("/other")) << "a client does not use the place of another";
  for (const std::string target : {"/1", "/2", "/other"}) held_.respond(target)(text(target));
  EXPECT_EQ(body_of(one.read_to_end()), "/1") << "a handler that ignores the flag responds to all";
  EXPECT_EQ(body_of(two.read_to_end()), "/2");
  EXPECT_EQ(body_of(other.read_to_end()), "/other");
  wait_for([&] { return server_->counts().connections == 0; });
  TestSocket next = ask("/next");
  TestSocket last = ask("/last");
  next.end_sending();
  last.end_sending();
  wait_for([&] { return is_closed("/next") || is_closed("/last"); });
  EXPECT_NE(is_closed("/next"), is_closed("/last")) << "the place is free again";
  held_.forget();
}

TEST_P(HttpServerHalfCloseTest, ATrustedProxyThatEndsItsInputHasClosedTheConnection) {
  options_.trusted_proxies = AddressBlocks::parse({"127.0.0.1"}).value();
  serve_with_flags();
  TestSocket proxy = ask("/1");
  proxy.end_sending();
  wait_for([&] { return is_closed("/1"); });
  held_.forget();
}

}  // namespace
}  // namespace finality::net
