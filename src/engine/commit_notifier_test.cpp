// Tests that replies and effects are delayed until their commit is durable.
#include "engine/commit_notifier.h"

#include <thread>

#include "base/limits.h"
#include "engine/test_engine.h"

namespace finality {
namespace {

using namespace test;

class CommitNotifierTest : public testing::Test {
 protected:
  StoreScript& script() { return world_.store.script; }
  // Submits an order and waits until it is committed, so that each order is a separate batch. `number`: total of
  // committed orders afterwards.
  std::future<Reply> commit_order(std::size_t number) {
    auto reply = world_.submit(world_.order_request());
    script().wait_for_orders(number);
    return reply;
  }

  EngineWorld world_{Flushes::apart};
};

TEST_F(CommitNotifierTest, RepliesAndEffectsWaitForTheFlush) {
  CreateOrder order = world_.order_request();
  order.payment = PaymentFields{.channel = "sandbox", .method = "redirect"};
  auto reply = world_.submit(order);
  auto refused = world_.submit(CloseOrder{kMerchant, OrderId{99}});
  script().wait_for_flushes(1);
  EXPECT_EQ(world_.order_count(), 1u);
  EXPECT_FALSE(world_.is_ready(reply));
  EXPECT_EQ(world_.effect_count(), 0u);
  script().release_flushes();
  EXPECT_EQ(world_.wait(std::move(reply)).status, 201);
  EXPECT_EQ(world_.effect_count(), 1u);
  EXPECT_EQ(world_.wait(std::move(refused)).status, 404);
}

TEST_F(CommitNotifierTest, AReplayedReplyWaitsForTheFlushOfItsRecord) {
  const Request request = world_.keyed(world_.order_request(), "k");
  auto first = world_.submit(request);
  script().wait_for_flushes(1);
  auto again = world_.submit(request);
  auto later = commit_order(2);  // its commit shows that the lane has processed `again`
  EXPECT_FALSE(world_.is_ready(again));
  script().release_flushes();
  EXPECT_FALSE(world_.wait(std::move(first)).replayed);
  EXPECT_TRUE(world_.wait(std::move(again)).replayed);
}

TEST_F(CommitNotifierTest, OneFlushServesAllCommitsDuringThePreviousFlush) {
  std::vector<std::future<Reply>> replies;
  replies.push_back(commit_order(1));
  script().wait_for_flushes(1);
  for (std::size_t number = 2; number <= 12; ++number) replies.push_back(commit_order(number));
  script().release_flushes();
  for (auto& reply : replies) EXPECT_EQ(world_.wait(std::move(reply)).status, 201);
  EXPECT_LE(script().flushes(), 3);  // 3, if the last order is announced after the second flush has started
}

TEST_F(CommitNotifierTest, ACommitWithoutRepliesIsFlushedToo) {
  world_.engine->submit(world_.request_of(world_.order_request()));
  script().wait_for_flushes(1);
  script().release_flushes();
}

TEST_F(CommitNotifierTest, ALaneWaitsForASlowDisk) {
  // One batch is being flushed, limits::kUnflushedBatchesMax are queued, and one is committed and waits for the queue.
  const std::size_t most = 1 + limits::kUnflushedBatchesMax + 1;
  std::vector<std::future<Reply>> replies;
  replies.push_back(commit_order(1));
  script().wait_for_flushes(1);
  for (std::size_t number = 2; number <= most; ++number) replies.push_back(commit_order(number));
  replies.push_back(world_.submit(world_.order_request()));
  EXPECT_EQ(world_.engine->queued(), 1u);
  script().release_flushes();
  for (auto& reply : replies) EXPECT_EQ(world_.wait(std::move(reply)).status, 201);
}

TEST_F(CommitNotifierTest, DrainingPerformsAllWork) {
  auto reply = commit_order(1);
  std::thread release([this] {
    script().wait_for_flushes(1);
    script().release_flushes();
  });
  world_.engine->drain();
  EXPECT_TRUE(world_.is_ready(reply));
  release.join();
}

TEST(CommitNotifierDeathTest, AFailedFlushAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        EngineWorld world(Flushes::apart);
        world.store.script.release_flushes("the disk has failed");
        world.execute(world.order_request());
      },
      "the outcome of the commit is unknown until a restart: the disk has failed");
}

}  // namespace
}  // namespace finality
