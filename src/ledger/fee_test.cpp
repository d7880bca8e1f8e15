#include "ledger/fee.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality::ledger {
namespace {

TEST(FeeFor, IsTheFixedPartPlusTheShareWithinTheBounds) {
  struct Row {
    std::int64_t basis_points;
    MinorUnits fixed;
    std::optional<MinorUnits> minimum;
    std::optional<MinorUnits> maximum;
    MinorUnits amount;
    MinorUnits fee;
  };
  for (const Row& row : {
           Row{0, 0, {}, {}, 1000, 0},
           Row{60, 0, {}, {}, 8000, 48},
           Row{60, 10, {}, {}, 8000, 58},
           Row{60, 0, {}, {}, 83, 0},    // 0.498 is rounded down
           Row{50, 0, {}, {}, 100, 1},   // 0.5 is rounded up
           Row{50, 0, {}, {}, 99, 0},    // 0.495 is rounded down
           Row{60, 0, 10, {}, 100, 10},  // the minimum applies
           Row{60, 0, {}, 40, 8000, 40},
           Row{60, 0, 100, {}, 30, 30},  // the fee never exceeds the amount
           Row{10'000, 5, {}, {}, 100, 100},
           Row{10'000, 0, {}, {}, limits::kAmountMax, limits::kAmountMax},
       }) {
    Fee fee;
    fee.basis_points = row.basis_points;
    fee.fixed = row.fixed;
    fee.minimum = row.minimum;
    fee.maximum = row.maximum;
    EXPECT_EQ(fee_for(fee, row.amount), row.fee) << row.basis_points << " of " << row.amount;
  }
}

TEST(ShareOf, IsRoundedDownAndTheTotalForTheWhole) {
  EXPECT_EQ(share_of(48, 0, 8000), 0);
  EXPECT_EQ(share_of(48, 166, 8000), 0);
  EXPECT_EQ(share_of(48, 4000, 8000), 24);
  EXPECT_EQ(share_of(48, 7999, 8000), 47);
  EXPECT_EQ(share_of(48, 8000, 8000), 48);
  EXPECT_EQ(share_of(limits::kAmountMax, limits::kAmountMax, limits::kAmountMax), limits::kAmountMax);
}

}  // namespace
}  // namespace finality::ledger
