#include "base/id.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <vector>

namespace finality {
namespace {

constexpr Time kNow{1'790'000'000'000};

TEST(IdGenerator, AMillionIdsAreSortedAndUnique) {
  IdGenerator ids(0, Time{});
  ids.advance(kNow);
  std::vector<std::int64_t> made(1'000'000);
  for (std::int64_t i = 0; auto& id : made) {
    if (++i % 5000 == 0) ids.advance(kNow + Duration{i / 5000});
    id = ids.next();
  }
  EXPECT_TRUE(std::ranges::is_sorted(made));
  EXPECT_EQ(std::ranges::adjacent_find(made), made.end());
}

TEST(IdGenerator, AnIdCarriesItsInstantAndItsNode) {
  IdGenerator ids(1023, Time{});
  ids.advance(kNow);
  const std::int64_t id = ids.next();
  EXPECT_EQ(time_of_id(id), kNow);
  EXPECT_EQ(node_of_id(id), 1023);
  EXPECT_GT(id, 0);
  EXPECT_EQ(ids.latest(), kNow);
}

TEST(IdGenerator, ItsClockNeverRunsBackwards) {
  IdGenerator ids(3, Time{});
  ids.advance(kNow);
  const std::int64_t before = ids.next();
  ids.advance(kNow - std::chrono::hours(1));
  EXPECT_GT(ids.next(), before);
  EXPECT_EQ(ids.latest(), kNow);
}

TEST(IdGenerator, AMillisecondThatIsUsedUpBorrowsTheNext) {
  IdGenerator ids(3, Time{});
  ids.advance(kNow);
  std::int64_t last = 0;
  for (int i = 0; i < (1 << kIdNumberBits) + 1; ++i) last = ids.next();
  EXPECT_EQ(time_of_id(last), kNow + Duration{1});
  EXPECT_EQ(ids.latest(), kNow + Duration{1}) << "so that the store also reserves it";
  ids.advance(kNow + Duration{1});
  EXPECT_GT(ids.next(), last) << "no id repeats when the clock reaches that millisecond";
}

TEST(IdGenerator, AfterARestartAllIdsAreLaterThanTheReservedInstant) {
  IdGenerator before(0, Time{});
  before.advance(kNow);
  const std::int64_t last = before.next();
  IdGenerator after(0, before.latest());
  after.advance(kNow - std::chrono::hours(1));  // the machine's clock was set back
  EXPECT_GT(after.next(), last);
  EXPECT_GT(time_of_id(after.next()), before.latest());
}

TEST(IdGenerator, AfterAClockThatWasAheadIdsWaitForIt) {
  IdGenerator ids(3, Time{});
  ids.advance(kNow + std::chrono::hours(1));
  std::int64_t last = ids.next();
  for (int second = 0; second < 3600; ++second) {
    ids.advance(kNow + std::chrono::seconds(second));
    for (int i = 0; i < 10; ++i) {
      const std::int64_t id = ids.next();
      ASSERT_GT(id, last);
      last = id;
    }
  }
  EXPECT_LE(time_of_id(last), kNow + std::chrono::hours(1) + Duration{10}) << "the lead has not grown";
  ids.advance(kNow + std::chrono::hours(2));
  EXPECT_EQ(time_of_id(ids.next()), kNow + std::chrono::hours(2));
}

TEST(IdGenerator, TheReservedInstantIsBeyondTheClockAndTheIds) {
  IdGenerator ids(3, Time{});
  ids.advance(kNow);
  EXPECT_EQ(ids.reserved_until(), kNow + std::chrono::seconds(10));
  ids.exceed(first_id_at(kNow + std::chrono::hours(1)));
  EXPECT_GT(ids.reserved_until(), ids.latest());
}

TEST(IdGenerator, RestartsDoNotIncreaseALeadOverTheClock) {
  Time reserved = kNow + std::chrono::hours(1);
  for (int restart = 0; restart < 600; ++restart) {
    IdGenerator ids(3, reserved);
    ids.advance(kNow + std::chrono::seconds(restart));
    ids.next();
    ASSERT_GT(ids.reserved_until(), ids.latest());
    reserved = ids.reserved_until();
  }
  EXPECT_LE(reserved, kNow + std::chrono::hours(1) + std::chrono::seconds(600) + Duration{600 * 2});
}

TEST(IdGenerator, ExceedsAnIdOfAnotherNode) {
  IdGenerator ahead(7, Time{});
  IdGenerator behind(3, Time{});
  ahead.advance({kIdEpochMs + 5000});
  behind.advance({kIdEpochMs + 1000});
  const std::int64_t theirs = ahead.next();
  behind.exceed(theirs);
  const std::int64_t ours = behind.next();
  EXPECT_GT(ours, theirs);
  EXPECT_EQ(node_of_id(ours), 3);
  behind.exceed(theirs);
  EXPECT_EQ(behind.next(), ours + 1) << "an id that is already exceeded skips nothing";
}

TEST(IdGenerator, NodesNeverShareAnId) {
  std::set<std::int64_t> made;
  for (std::int64_t node : {0, 1, 512, 1023}) {
    IdGenerator ids(node, Time{});
    ids.advance(kNow);
    for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(made.insert(ids.next()).second);
  }
}

TEST(IdGenerator, IdsAscendUnderAnyClock) {
  EXPECT_TRUE(rc::check([](const std::vector<std::int32_t>& steps_ms) {
    IdGenerator ids(7, Time{});
    Time now = kNow;
    std::int64_t last = 0;
    for (const std::int32_t step : steps_ms) {
      now = now + Duration{step};
      ids.advance(now);
      const std::int64_t id = ids.next();
      RC_ASSERT(id > last);
      last = id;
    }
  }));
}

TEST(IdGeneratorDeathTest, ANodeNumberOutOfRangeAborts) {
  EXPECT_DEATH(IdGenerator(kIdNodesMax, Time{}), "ten bits");
  EXPECT_DEATH(IdGenerator(-1, Time{}), "ten bits");
}

TEST(FirstIdAt, IsTheSmallestOfItsInstant) {
  IdGenerator ids(0, kNow - Duration{1});
  EXPECT_EQ(ids.next(), first_id_at(kNow));
  EXPECT_EQ(first_id_at(Time{0}), 0);
  EXPECT_EQ(time_of_id(first_id_at(kNow)), kNow);
}

TEST(FirstIdAt, IsTheLargestIdIfTheInstantIsBeyondTheRange) {
  const Time last = time_of_id(kLargestId);
  EXPECT_EQ(time_of_id(first_id_at(last)), last);
  EXPECT_EQ(first_id_at(last + Duration{1}), kLargestId);
  EXPECT_EQ(first_id_at(*parse_rfc3339("9999-12-31T23:59:59Z")), kLargestId);
}

}  // namespace
}  // namespace finality
