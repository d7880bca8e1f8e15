#include "store/postgres/read_guard.h"

#include <gtest/gtest.h>

namespace finality::postgres {
namespace {

using Access = ReadGuard::Access;

constexpr Duration kPause(1000);
constexpr ReadTarget kShard{.merchant = MerchantId{7}};

class ReadGuardTest : public testing::Test {
 protected:
  Access admit(const ReadTarget& target, int ms) { return guard_.admit(target, start_ + Duration(ms)); }
  void fail(const ReadTarget& target, int ms) { guard_.record_failure(target, start_ + Duration(ms)); }

  const ReadGuard::Clock::time_point start_ = ReadGuard::Clock::now();
  ReadGuard guard_{kPause};
};

TEST_F(ReadGuardTest, AFailedTargetIsRefusedAndTriedOncePerPause) {
  EXPECT_EQ(admit(kShard, 0), Access::open);
  fail(kShard, 0);
  EXPECT_EQ(admit(kShard, 999), Access::refused);
  EXPECT_EQ(admit(kShard, 1000), Access::probe);
  EXPECT_EQ(admit(kShard, 1001), Access::refused) << "a second probe";
  fail(kShard, 1500);
  EXPECT_EQ(admit(kShard, 2499), Access::refused);
  EXPECT_EQ(admit(kShard, 2500), Access::probe);
  guard_.record_success(kShard);
  EXPECT_EQ(admit(kShard, 2501), Access::open);
}

TEST_F(ReadGuardTest, AProbeWithoutResultIsRepeated) {
  fail(kShard, 0);
  EXPECT_EQ(admit(kShard, 1000), Access::probe);
  EXPECT_EQ(admit(kShard, 2000), Access::probe);
}

TEST_F(ReadGuardTest, OtherMerchantsAndReadsOfAllShardsAreNotRefused) {
  const SqlStatement* all = all_statements().front();
  fail(kShard, 0);
  EXPECT_EQ(admit({.merchant = MerchantId{8}}, 1), Access::open);
  EXPECT_EQ(admit({.merchant = {}, .statement = all}, 1), Access::open);
}

}  // namespace
}  // namespace finality::postgres
