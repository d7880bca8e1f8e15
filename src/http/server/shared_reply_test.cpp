#include "http/server/shared_reply.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <semaphore>

#include "http/server/problem.h"

namespace finality::http {
namespace {

using namespace std::chrono_literals;

/// A reply whose computations end when the test releases them. A computation returns its number.
class SharedReplyTest : public testing::Test {
 protected:
  ~SharedReplyTest() override { go_on_.release(100); }

  void make(SharedReply::Options options) {
    reply_ = std::make_unique<SharedReply>(io_, std::move(options), [this]() -> HttpReply {
      const int number = ++computed_;
      began_.release();
      go_on_.acquire();
      return json_response(200, std::to_string(number));
    });
  }
  std::future<net::HttpResponse> send() {
    auto response = std::make_shared<std::promise<net::HttpResponse>>();
    reply_->answer(std::make_shared<HttpExchange>(
        net::HttpRequest{}, [response](net::HttpResponse one) { response->set_value(std::move(one)); }, "req_1"));
    return response->get_future();
  }
  static net::HttpResponse wait(std::future<net::HttpResponse>& response) {
    if (response.wait_for(10s) != std::future_status::ready) throw std::runtime_error("no response");
    return response.get();
  }
  static bool is_ready(std::future<net::HttpResponse>& response) {
    return response.wait_for(0s) == std::future_status::ready;
  }

  std::counting_semaphore<> began_{0};
  std::counting_semaphore<> go_on_{0};
  std::atomic<int> computed_ = 0;
  net::IoPool io_{1};
  std::unique_ptr<SharedReply> reply_;  // destroyed first
};

TEST_F(SharedReplyTest, OneComputationServesAllRequestsThatArriveMeanwhile) {
  make({});
  std::vector<std::future<net::HttpResponse>> responses;
  responses.push_back(send());
  began_.acquire();
  for (int i = 0; i < 100; ++i) responses.push_back(send());
  go_on_.release();
  for (auto& response : responses) EXPECT_EQ(wait(response).body, "1\n");
  EXPECT_EQ(computed_, 1);
  go_on_.release();
  auto later = send();
  EXPECT_EQ(wait(later).body, "2\n");
}

TEST_F(SharedReplyTest, AKeptResultNeedsNoComputation) {
  make({.kept = 1h});
  go_on_.release();
  for (int i = 0; i < 3; ++i) {
    auto response = send();
    EXPECT_EQ(wait(response).body, "1\n");
  }
}

TEST_F(SharedReplyTest, RequestsBeyondTheLimitGetTheLastResultAtOnce) {
  make({.waiting_max = 2});
  auto first = send();
  began_.acquire();
  auto second = send();
  auto third = send();
  EXPECT_EQ(wait(third).status, 503) << "busy: there is no result yet";
  go_on_.release();
  EXPECT_EQ(wait(first).body, "1\n");
  EXPECT_EQ(wait(second).body, "1\n");
  auto fourth = send();
  began_.acquire();
  auto fifth = send();
  auto sixth = send();
  EXPECT_EQ(wait(sixth).body, "1\n");
  EXPECT_FALSE(is_ready(fourth));
  go_on_.release();
  EXPECT_EQ(wait(fourth).body, "2\n");
  EXPECT_EQ(wait(fifth).body, "2\n");
}

TEST_F(SharedReplyTest, AComputationThatTakesTooLongRefusesAllRequestsUntilItEnds) {
  make({.wait_max = 50ms, .late = {RefusalCode::storage_read_error, "The store does not reply.", {}, {}}});
  std::vector<std::future<net::HttpResponse>> responses;
  for (int i = 0; i < 10; ++i) responses.push_back(send());
  for (auto& response : responses) EXPECT_TRUE(wait(response).body.contains("storage_read_error"));
  auto next = send();
  EXPECT_TRUE(is_ready(next)) << "the computation is known to be late";
  EXPECT_TRUE(wait(next).body.contains("storage_read_error"));
  EXPECT_EQ(computed_, 1);
  go_on_.release(2);
  for (int tries = 0; tries < 1000; ++tries) {
    auto later = send();
    if (wait(later).status == 200) return;
    std::this_thread::sleep_for(1ms);
  }
  FAIL() << "is still refused after the computation has ended";
}

TEST_F(SharedReplyTest, TheTimerCanOutliveTheObject) {
  make({.wait_max = 20ms, .late = {RefusalCode::storage_read_error, "The store does not reply.", {}, {}}});
  go_on_.release();
  auto response = send();
  EXPECT_EQ(wait(response).status, 200);
  reply_.reset();
  std::promise<void> after_timer;
  io_.after(40ms, [&] { after_timer.set_value(); });
  after_timer.get_future().get();
}

}  // namespace
}  // namespace finality::http
