#include "http/server/reader_pool.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/net/client_address.h"
#include "query/testing/fakes.h"

namespace finality::http {
namespace {

using query::FakeStore;

const ReadClient kOne = ReadClient::of(MerchantId{1});
const ReadClient kTwo = ReadClient::of(MerchantId{2});
const ReadClient kThree = ReadClient::of_address(net::client_number("192.0.2.1"));

/// Lets tests hold running tasks and observe which tasks have begun.
class Stage {
 public:
  /// Returns a task's function: it records `name` and then blocks until release() or open().
  std::function<void(Reader&)> task(std::string name) {
    return [this, name = std::move(name)](Reader&) {
      std::unique_lock lock(mutex_);
      begun_.push_back(name);
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_ || released_ > 0; });
      if (!open_) --released_;
    };
  }
  /// Lets one running task end.
  void release() {
    const std::lock_guard lock(mutex_);
    ++released_;
    changed_.notify_all();
  }
  /// Lets all tasks run without a stop.
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Waits until `count` tasks have begun, and returns their names in this order.
  std::vector<std::string> begun(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= count; });
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> begun_;
  std::size_t released_ = 0;
  bool open_ = false;
};

class Pool : public testing::Test {
 protected:
  void start(ReaderPool::Options options) { pool_ = std::move(*ReaderPool::open(store_, options)); }
  ~Pool() override { stage_.open(); }

  std::optional<RefusalCode> submit(ReadClient client, const std::string& name, bool is_limited = true,
                                    ReadTask::Closed closed = nullptr) {
    const auto queued = pool_->submit({client, stage_.task(name), is_limited, std::move(closed)});
    return queued ? std::nullopt : std::optional(queued.error().code);
  }

  FakeStore store_;
  Stage stage_;
  std::unique_ptr<ReaderPool> pool_;
};

TEST_F(Pool, ClientsTakeTurns) {
  start({.threads = 1});
  submit(kOne, "running");
  stage_.begun(1);
  for (const char* name : {"a1", "a2", "a3"}) submit(kOne, name);
  for (const char* name : {"b1", "b2"}) submit(kTwo, name);
  submit(kThree, "c1");
  EXPECT_EQ(pool_->counters().waiting, 6u);
  stage_.open();
  EXPECT_EQ(stage_.begun(7), (std::vector<std::string>{"running", "a1", "b1", "c1", "a2", "b2", "a3"}));
  EXPECT_EQ(pool_->counters().waiting, 0u);
}

TEST_F(Pool, OneClientLeavesThreadsForOthers) {
  start({.threads = 4});
  for (const char* name : {"a1", "a2", "a3", "a4"}) submit(kOne, name);
  stage_.begun(2);
  EXPECT_EQ(pool_->counters().waiting, 2u);
  submit(kTwo, "b1");
  EXPECT_EQ(stage_.begun(3).back(), "b1") << "it does not wait for the reads of another client";
  submit(kThree, "c1");
  EXPECT_EQ(stage_.begun(4).back(), "c1");
  EXPECT_EQ(pool_->counters().waiting, 2u);
}

TEST_F(Pool, OfTwoThreadsOneClientHoldsOne) {
  start({.threads = 2});
  submit(kOne, "a1");
  submit(kOne, "a2");
  EXPECT_EQ(stage_.begun(1).size(), 1u);
  submit(kTwo, "b1");
  EXPECT_EQ(stage_.begun(2).back(), "b1");
  stage_.release();
  stage_.release();  // one of them ends "a1"
  EXPECT_EQ(stage_.begun(3).back(), "a2");
}

TEST_F(Pool, LimitsTheQueuedReadsOfAClientButNotTheStepsOfItsCommands) {
  start({.threads = 1, .waiting_per_client_max = 2});
  submit(kOne, "running");
  stage_.begun(1);
  EXPECT_FALSE(submit(kOne, "a1"));
  EXPECT_FALSE(submit(kOne, "a2"));
  EXPECT_EQ(submit(kOne, "a3"), RefusalCode::rate_limited);
  EXPECT_FALSE(submit(kOne, "step", false));
  EXPECT_FALSE(submit(kTwo, "b1")) << "the limit is that of one client";
  EXPECT_EQ(pool_->counters().refused_client, 1u);
  EXPECT_EQ(pool_->counters().refused_server, 0u);
}

TEST_F(Pool, DividesTheQueueAmongClients) {
  start({.threads = 1, .waiting_max = 8});
  submit(kOne, "running");
  stage_.begun(1);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(submit(kOne, "a"));
  EXPECT_EQ(submit(kOne, "a"), RefusalCode::busy);
  EXPECT_FALSE(submit(kTwo, "b")) << "one client leaves places for others";
  EXPECT_EQ(pool_->counters().refused_server, 1u);
}

TEST_F(Pool, DropsReadsOfClosedConnections) {
  start({.threads = 1});
  const auto closed = std::make_shared<std::atomic<bool>>(false);
  submit(kOne, "running");
  stage_.begun(1);
  submit(kOne, "dropped", true, closed);
  submit(kOne, "kept");
  *closed = true;
  stage_.open();
  EXPECT_EQ(stage_.begun(2), (std::vector<std::string>{"running", "kept"}));
  EXPECT_EQ(pool_->counters().dropped, 1u);
}

TEST_F(Pool, GoesOnAfterATaskThatThrows) {
  start({.threads = 1});
  const auto queued = pool_->submit({kOne, [](Reader&) { throw std::runtime_error("thrown by a test"); }});
  EXPECT_TRUE(queued);
  submit(kOne, "next");
  EXPECT_EQ(stage_.begun(1).front(), "next");
}

TEST(ReadClient, OfAnIPv6NetworkIsOneClient) {
  EXPECT_EQ(ReadClient::of_address(net::client_number("2001:db8::1")),
            ReadClient::of_address(net::client_number("2001:db8:0:0:ffff::2")));
  EXPECT_NE(ReadClient::of_address(net::client_number("2001:db8::1")),
            ReadClient::of_address(net::client_number("2001:db8:0:1::1")));
  EXPECT_NE(ReadClient::of_address(net::client_number("192.0.2.1")),
            ReadClient::of_address(net::client_number("192.0.2.2")));
  EXPECT_NE(ReadClient::of_address(net::client_number("::ffff:192.0.2.1")),
            ReadClient::of_address(net::client_number("::ffff:192.0.2.2")));
  EXPECT_LT(ReadClient::of_address(net::client_number("")).value(), 0) << "no merchant has the number of an address";
}

}  // namespace
}  // namespace finality::http
