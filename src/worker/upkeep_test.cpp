#include "worker/upkeep.h"

#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

class UpkeepTest : public testing::Test {
 protected:
  void begin() {
    world_.inside([&] { begin_upkeep(world_.outside); });
  }
  Duration pause() const { return world_.timers.waiting.front().first; }
  WorkerCounters& counters() { return world_.outside->counters; }

  World world_;
  const UpstreamRequest request_{.url = "http://upstream/certificates", .http = {.method = "GET"}};
};

TEST_F(UpkeepTest, LooksAgainAndAgainWhetherSomethingIsDue) {
  begin();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(world_.timers.waiting.size(), 1u);
    EXPECT_EQ(pause(), limits::kUpkeepEvery);
    world_.timers.run_next();
  }
  EXPECT_EQ(world_.client.count(), 0u);
  world_.channel->upkeep = request_;
  world_.timers.run_next();
  EXPECT_EQ(world_.client.call_at(0).url, "http://upstream/certificates");
}

TEST_F(UpkeepTest, HandsTheAnswerToTheAdapterAndGoesOn) {
  world_.channel->upkeep = request_;
  begin();
  EXPECT_TRUE(world_.timers.waiting.empty()) << "one thing at a time";
  world_.channel->upkeep.reset();
  world_.client.finish(0, answered(200, "certificates"));
  ASSERT_EQ(world_.channel->kept_up.size(), 1u);
  EXPECT_EQ(world_.channel->kept_up[0].http->body, "certificates");
  EXPECT_EQ(pause(), limits::kUpkeepEvery);
  EXPECT_EQ(counters().upkeep_calls, 1u);
  EXPECT_EQ(counters().upkeep_failures, 0u);
}

TEST_F(UpkeepTest, AFailureIsCountedAndTriedAgainAfterAGrowingPause) {
  world_.channel->upkeep = request_;
  world_.channel->upkeep_result = fail("the signature is wrong");
  begin();
  for (std::size_t i = 0; i < 3; ++i) {
    world_.client.finish(i, unanswered("nothing came"));
    EXPECT_EQ(world_.channel->kept_up.back().failure, "nothing came");
    EXPECT_EQ(pause(), upkeep_pause(static_cast<int>(i) + 1));
    world_.timers.run_next();
  }
  EXPECT_EQ(counters().upkeep_failures, 3u);
  world_.channel->upkeep_result = {};
  world_.client.finish(3, answered(200));
  EXPECT_EQ(pause(), limits::kUpkeepEvery);
}

TEST_F(UpkeepTest, EndsWithTheGate) {
  world_.channel->upkeep = request_;
  begin();
  world_.outside->gate.shut();
  world_.client.finish(0, answered(200));
  EXPECT_TRUE(world_.channel->kept_up.empty());
  EXPECT_TRUE(world_.timers.waiting.empty());
}

TEST_F(UpkeepTest, AChannelWithoutMaintenanceIsLeftAlone) {
  world_.channels.clear();
  world_.channels.push_back(std::make_unique<PlainChannel>());
  begin();
  EXPECT_TRUE(world_.timers.waiting.empty());
  EXPECT_EQ(world_.client.count(), 0u);
}

TEST(UpkeepPause, GrowsToALimit) {
  EXPECT_EQ(upkeep_pause(0), limits::kUpkeepEvery);
  EXPECT_EQ(upkeep_pause(2), 4 * limits::kUpkeepEvery);
  EXPECT_EQ(upkeep_pause(1000), limits::kUpkeepPauseMax);
}

}  // namespace
}  // namespace finality
