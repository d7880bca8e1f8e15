#include "model/statement_line.h"

#include <gtest/gtest.h>

#include <limits>

namespace finality {
namespace {

constexpr ChannelAccountId kAccount{5};
const Currency kCny = *parse_currency("CNY");

StatementLine payment(MinorUnits amount) {
  return {.line_no = 7,
          .kind = LineKind::payment,
          .channel_trade_no = "T1",
          .out_trade_no = "O1",
          .currency = kCny,
          .amount = amount,
          .fee_e5 = 600};
}

TEST(StatementLine, SumsAreKeptPerCurrencyAndKind) {
  std::vector<StatementSums> sums;
  StatementLine refund = payment(300);
  refund.kind = LineKind::refund;
  StatementLine dollars = payment(50);
  dollars.currency = *parse_currency("USD");
  for (const StatementLine& line : {payment(1000), refund, dollars, payment(20)}) ASSERT_TRUE(add_line(sums, line));
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].lines, 3);
  EXPECT_EQ(sums[0].payments, 2);
  EXPECT_EQ(sums[0].paid, 1020);
  EXPECT_EQ(sums[0].refunds, 1);
  EXPECT_EQ(sums[0].refunded, 300);
  EXPECT_EQ(sums[0].fee_e5, 1800);
  EXPECT_EQ(sums[1].paid, 50);
}

TEST(StatementLine, ChangesOfABalanceAreCreditsOrDebits) {
  std::vector<StatementSums> sums;
  StatementLine line = payment(-250);
  line.kind = LineKind::withdrawal;
  ASSERT_TRUE(add_line(sums, line));
  line.amount = 100;
  ASSERT_TRUE(add_line(sums, line));
  EXPECT_EQ(sums.front().debits, 250);
  EXPECT_EQ(sums.front().credits, 100);
  EXPECT_EQ(sums.front().payments, 0);
}

TEST(StatementLine, AnOverflowLeavesTheSumsUnchanged) {
  std::vector<StatementSums> sums;
  ASSERT_TRUE(add_line(sums, payment(std::numeric_limits<MinorUnits>::max())));
  EXPECT_FALSE(add_line(sums, payment(1)));
  EXPECT_EQ(sums.front().lines, 1);
}

TEST(StatementLine, TheIdentityIgnoresTheLineNumber) {
  StatementLine moved = payment(1000);
  moved.line_no = 8;
  EXPECT_EQ(key_of_line(kAccount, moved, 0), key_of_line(kAccount, payment(1000), 0));
}

TEST(StatementLine, TheIdentityContainsWhatTheLineStates) {
  const Hash16 key = key_of_line(kAccount, payment(1000), 0);
  EXPECT_NE(key_of_line(kAccount, payment(1001), 0), key);
  EXPECT_NE(key_of_line(kAccount, payment(1000), 1), key) << "a second equal line";
  EXPECT_NE(key_of_line(ChannelAccountId{6}, payment(1000), 0), key);
  void (*const changes[])(StatementLine&) = {
      [](StatementLine& line) { line.kind = LineKind::refund; },
      [](StatementLine& line) { line.status = LineStatus::failed; },
      [](StatementLine& line) { line.channel_trade_no = "T2"; },
      [](StatementLine& line) { line.out_trade_no = "O2"; },
      [](StatementLine& line) { line.out_refund_no = "R1"; },
      [](StatementLine& line) { line.channel_refund_no = "R1"; },
      [](StatementLine& line) { line.line_id = "L1"; },
      [](StatementLine& line) { line.currency = *parse_currency("USD"); },
      [](StatementLine& line) { line.discount = 1; },
      [](StatementLine& line) { line.fee_e5 = 1; },
      [](StatementLine& line) { line.at = Time{1}; },
  };
  for (const auto change : changes) {
    StatementLine line = payment(1000);
    change(line);
    EXPECT_NE(key_of_line(kAccount, line, 0), key);
  }
}

}  // namespace
}  // namespace finality
