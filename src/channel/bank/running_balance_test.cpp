#include "channel/bank/running_balance.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace finality::bank {
namespace {

struct Line {
  MinorUnits amount = 0;
  std::optional<MinorUnits> balance;
};

// Checks lines with the numbers 2, 3, … and returns the error; empty if there is none.
std::string error_of(const std::vector<Line>& lines, MinorUnits opening, MinorUnits closing) {
  RunningBalance balances;
  std::int64_t line_no = 1;
  for (const Line& line : lines) {
    StatementLine row{.line_no = ++line_no};
    row.amount = line.amount;
    row.balance = line.balance;
    balances.add(row);
  }
  const auto checked = balances.check(opening, closing, *parse_currency("EUR"));
  return checked ? "" : checked.error().message;
}

TEST(RunningBalance, LinesAreSortedOldestOrNewestFirst) {
  EXPECT_EQ(error_of({}, 100, 100), "");
  EXPECT_EQ(error_of({{50, 150}, {-30, 120}, {5, 125}}, 100, 125), "");
  EXPECT_EQ(error_of({{5, 125}, {-30, 120}, {50, 150}}, 100, 125), "");
}

TEST(RunningBalance, BalancesCanBeMissing) {
  EXPECT_EQ(error_of({{50, {}}, {-30, 120}, {5, {}}}, 100, 125), "");
  EXPECT_EQ(error_of({{5, {}}, {-30, 120}, {50, {}}}, 100, 125), "");
  EXPECT_EQ(error_of({{50, {}}, {-30, {}}}, 100, 120), "");
}

TEST(RunningBalance, AWrongBalanceIsAnErrorThatNamesTheLine) {
  EXPECT_EQ(error_of({{50, 150}, {-30, 121}, {5, 125}}, 100, 125),
            "line 3, column balance: 1.21 EUR is not 1.20 EUR, the opening balance plus the lines up to it. Sort the "
            "lines by the time of booking, or leave the column empty");
  EXPECT_EQ(error_of({{5, 125}, {-30, 120}, {50, 151}}, 100, 125),
            "line 4, column balance: 1.51 EUR is not 1.50 EUR, the closing balance minus the lines before it. Sort "
            "the lines by the time of booking, or leave the column empty");
  EXPECT_TRUE(error_of({{50, 0}}, 100, 150).starts_with("line 2, column balance: 0.00 EUR is not 1.50 EUR, "));
  EXPECT_TRUE(error_of({{50, 151}, {-30, 121}}, 100, 120).starts_with("line 2, column balance: 1.51 EUR is not 1.50"));
}

TEST(RunningBalance, SumsThatOverflowAreCompared) {
  constexpr MinorUnits kMax = std::numeric_limits<MinorUnits>::max();
  EXPECT_TRUE(error_of({{kMax, 1}, {kMax, kMax}}, 0, 0).contains("column balance"));
}

}  // namespace
}  // namespace finality::bank
