#include "http/limits/upload_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace finality::http {
namespace {

constexpr ApiKeyId kFirst{1};
constexpr ApiKeyId kSecond{2};
constexpr std::size_t kTotal = 256;
constexpr std::size_t kLargest = 64;

class UploadBudgetTest : public testing::Test {
 protected:
  /// Holds as many uploads of that size as the key gets. Returns their number.
  std::size_t hold_all(ApiKeyId key, std::size_t bytes) {
    std::size_t count = 0;
    for (auto permit = budget_->reserve(key, bytes); permit; permit = budget_->reserve(key, bytes), ++count)
      held_.push_back(std::move(*permit));
    return count;
  }
  RefusalCode refused(ApiKeyId key, std::size_t bytes) {
    const auto permit = budget_->reserve(key, bytes);
    EXPECT_FALSE(permit);
    return permit ? RefusalCode::not_found : permit.error().code;
  }

  std::shared_ptr<UploadBudget> budget_ = std::make_shared<UploadBudget>(kTotal);
  std::vector<net::Permit> held_;
};

TEST_F(UploadBudgetTest, AnotherKeyGetsTheLargestFileWhateverOneKeyHolds) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{7}, std::size_t{32}, kLargest}) {
    EXPECT_GT(hold_all(kFirst, bytes), 0U);
    EXPECT_EQ(refused(kFirst, bytes), RefusalCode::rate_limited);
    EXPECT_TRUE(budget_->reserve(kSecond, kLargest)) << bytes;
    held_.clear();
  }
}

TEST_F(UploadBudgetTest, AKeyHoldsAtMostHalf) {
  EXPECT_EQ(hold_all(kFirst, 1), kTotal / 2);
  EXPECT_EQ(hold_all(kSecond, 1), kTotal / 4);
}

TEST_F(UploadBudgetTest, TheUploadsOfOthersAreNotTheFaultOfAKey) {
  hold_all(kFirst, kLargest);
  hold_all(kSecond, kLargest);
  EXPECT_EQ(refused(ApiKeyId{3}, kLargest), RefusalCode::busy);
}

TEST_F(UploadBudgetTest, AnEndedUploadReturnsItsBytes) {
  hold_all(kFirst, kLargest);
  held_.clear();
  EXPECT_EQ(hold_all(kSecond, kLargest), 2U);
}

TEST(UploadSettings, StateTheTimeInWhichAnUploadMustArrive) {
  EXPECT_TRUE(time_limits_of({}).starts_with(
      "An upload must arrive with at least 16 KiB per second over each 10 seconds, and completely within 120 seconds."))
      << time_limits_of({});
  EXPECT_TRUE(time_limits_of({.rate_min = 0}).starts_with("An upload must arrive completely within 120 seconds."))
      << time_limits_of({.rate_min = 0});
}

}  // namespace
}  // namespace finality::http
