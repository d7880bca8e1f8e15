#include "worker/maintenance.h"

#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

class MaintenanceTest : public testing::Test {
 protected:
  void begin() {
    world_.inside([&] { begin_maintenance(world_.context); });
  }
  Duration pause() const { return world_.timers.waiting.front().first; }
  WorkerCounters& counters() { return world_.context->counters; }

  World world_;
  const UpstreamRequest request_{.url = "http://upstream/certificates", .http = {.method = "GET"}};
};

TEST_F(MaintenanceTest, ChecksRepeatedlyForARequest) {
  begin();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(world_.timers.waiting.size(), 1u);
    EXPECT_EQ(pause(), limits::kMaintenanceEvery);
    world_.timers.run_next();
  }
  EXPECT_EQ(world_.client.count(), 0u);
  world_.channel->maintenance = request_;
  world_.timers.run_next();
  EXPECT_EQ(world_.client.call_at(0).url, "http://upstream/certificates");
}

TEST_F(MaintenanceTest, PassesTheReplyToTheAdapterAndContinues) {
  world_.channel->maintenance = request_;
  begin();
  EXPECT_TRUE(world_.timers.waiting.empty()) << "one step at a time";
  world_.channel->maintenance.reset();
  world_.client.finish(0, answered(200, "certificates"));
  ASSERT_EQ(world_.channel->kept_up.size(), 1u);
  EXPECT_EQ(world_.channel->kept_up[0].http->body, "certificates");
  EXPECT_EQ(pause(), limits::kMaintenanceEvery);
  EXPECT_EQ(counters().maintenance_calls, 1u);
  EXPECT_EQ(counters().maintenance_failures, 0u);
}

TEST_F(MaintenanceTest, AFailureIsCountedAndRetriedAfterAGrowingPause) {
  world_.channel->maintenance = request_;
  world_.channel->maintenance_result = fail("invalid signature");
  begin();
  for (std::size_t i = 0; i < 3; ++i) {
    world_.client.finish(i, unanswered("no response"));
    EXPECT_EQ(world_.channel->kept_up.back().failure, "no response");
    EXPECT_EQ(pause(), maintenance_pause(static_cast<int>(i) + 1));
    world_.timers.run_next();
  }
  EXPECT_EQ(counters().maintenance_failures, 3u);
  world_.channel->maintenance_result = {};
  world_.client.finish(3, answered(200));
  EXPECT_EQ(pause(), limits::kMaintenanceEvery);
}

TEST_F(MaintenanceTest, EndsWhenTheGuardIsClosed) {
  world_.channel->maintenance = request_;
  begin();
  world_.context->guard.close();
  world_.client.finish(0, answered(200));
  EXPECT_TRUE(world_.channel->kept_up.empty());
  EXPECT_TRUE(world_.timers.waiting.empty());
}

TEST_F(MaintenanceTest, AChannelWithoutMaintenanceIsIgnored) {
  world_.channels.clear();
  world_.channels.push_back(std::make_unique<PlainChannel>());
  begin();
  EXPECT_TRUE(world_.timers.waiting.empty());
  EXPECT_EQ(world_.client.count(), 0u);
}

TEST(MaintenancePause, GrowsToALimit) {
  EXPECT_EQ(maintenance_pause(0), limits::kMaintenanceEvery);
  EXPECT_EQ(maintenance_pause(2), 4 * limits::kMaintenanceEvery);
  EXPECT_EQ(maintenance_pause(1000), limits::kMaintenancePauseMax);
}

}  // namespace
}  // namespace finality
