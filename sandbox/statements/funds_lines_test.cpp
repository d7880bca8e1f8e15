#include "sandbox/statements/funds_lines.h"

#include <set>

#include "sandbox/statements/withdrawals.h"
#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;
using Types = std::vector<std::string>;

class FundsLinesTest : public TestLedger {
 protected:
  FundsDay funds(std::string_view date, const std::string& channel = "sandbox") {
    return funds_day(ledger_, channel, date, day(date));
  }
  MinorUnits balance(const std::string& currency = "CNY", const std::string& channel = "sandbox") {
    return balances_at(ledger_, channel, ledger_.now() + Duration{1})[currency];
  }
  void withdraw_automatically() { set_automatic_withdrawals(ledger_, "sandbox", true); }
  static Types types_of(const FundsDay& day) {
    Types types;
    for (const FundsLine& line : day.lines) types.emplace_back(name_of(line.type));
    return types;
  }
};

TEST_F(FundsLinesTest, PaymentsAndRefundsChangeTheBalanceByAmountAndFee) {
  const Trade trade = pay("order-1", 10'000);
  jump_to("2026-03-02 10:00:00");
  refund(trade, "refund-1", 1000);
  const FundsDay found = funds("2026-03-02");
  ASSERT_EQ(types_of(found), (Types{"payment", "fee", "refund", "fee_returned"}));
  EXPECT_EQ(found.opening.at("CNY"), 0);
  EXPECT_EQ(found.lines[0].balance, 10'000);
  EXPECT_EQ(found.lines[1].balance, 9940);
  EXPECT_EQ(found.lines[2].balance, 8940);
  EXPECT_EQ(found.lines[3].balance, 8946);
  EXPECT_EQ(balance(), 8946);
  std::set<std::string> ids;
  for (const FundsLine& line : found.lines) EXPECT_TRUE(ids.insert(line.line_id).second) << line.line_id;
}

TEST_F(FundsLinesTest, EachCurrencyHasABalance) {
  pay("order-1", 1000);
  pay("order-2", 500, "manual", "sandbox", "JPY");
  EXPECT_EQ(balance("CNY"), 994);
  EXPECT_EQ(balance("JPY"), 497);
  EXPECT_EQ(funds("2026-03-02").opening, (Balances{{"CNY", 0}, {"JPY", 0}}));
  jump_to("2026-03-03 12:00:00");
  pay("order-3", 1000);
  EXPECT_EQ(funds("2026-03-03").opening, (Balances{{"CNY", 994}, {"JPY", 497}})) << "JPY has no lines on this day";
}

TEST_F(FundsLinesTest, ForeignMoneyIsNotInTheAccountsOfTheChineseChannels) {
  for (const char* channel : {"alipay", "wechatpay"}) {
    pay("order-1", 1000, "wrong_currency", channel);
    EXPECT_TRUE(funds("2026-03-02", channel).lines.empty()) << channel;
  }
}

TEST_F(FundsLinesTest, AutomaticWithdrawalsPayOutTheBalanceOfTheDayBefore) {
  withdraw_automatically();
  pay("order-1", 1000);
  jump_to("2026-03-03 01:00:00");
  pay("order-2", 500);
  EXPECT_EQ(types_of(funds("2026-03-03")), (Types{"payment", "fee"})) << "it is not yet 02:00";
  jump_to("2026-03-06 12:00:00");
  const FundsDay second = funds("2026-03-03");
  ASSERT_EQ(types_of(second), (Types{"payment", "fee", "withdrawal"}));
  EXPECT_EQ(second.lines[2].at, at_china("2026-03-03 02:00:00"));
  EXPECT_EQ(second.lines[2].amount, -994);
  EXPECT_EQ(second.lines[2].balance, 497);
  const FundsDay third = funds("2026-03-04");
  ASSERT_EQ(types_of(third), Types{"withdrawal"});
  EXPECT_EQ(third.opening.at("CNY"), 497);
  EXPECT_EQ(third.lines[0].balance, 0);
  EXPECT_TRUE(funds("2026-03-05").lines.empty());
  EXPECT_EQ(balance(), 0);
}

TEST_F(FundsLinesTest, WithdrawalsAreMadeOnce) {
  withdraw_automatically();
  pay("order-1", 1000);
  jump_to("2026-03-03 02:00:00");
  make_due_withdrawals(ledger_, "sandbox");
  make_due_withdrawals(ledger_, "sandbox");
  EXPECT_EQ(balance(), 0);
  EXPECT_EQ(types_of(funds("2026-03-03")), Types{"withdrawal"});
}

TEST_F(FundsLinesTest, ANegativeBalanceIsNotWithdrawn) {
  withdraw_automatically();
  const Trade trade = pay("order-1", 1000);
  jump_to("2026-03-03 12:00:00");
  EXPECT_EQ(types_of(funds("2026-03-03")), Types{"withdrawal"});
  refund(trade, "refund-1", 1000);
  EXPECT_EQ(balance(), -994);
  jump_to("2026-03-04 12:00:00");
  EXPECT_TRUE(funds("2026-03-04").lines.empty());
}

TEST_F(FundsLinesTest, ARefundBeforeTheWithdrawalReducesIt) {
  withdraw_automatically();
  const Trade trade = pay("order-1", 1000);
  jump_to("2026-03-03 01:00:00");
  refund(trade, "refund-1", 500);
  jump_to("2026-03-03 12:00:00");
  EXPECT_EQ(funds("2026-03-03").lines.back().amount, -497);
  EXPECT_EQ(balance(), 0);
}

TEST_F(FundsLinesTest, NothingIsWithdrawnUntilItIsRequestedOrTurnedOn) {
  pay("order-1", 1000);
  jump_to("2026-03-04 12:00:00");
  EXPECT_TRUE(funds("2026-03-04").lines.empty());
  const auto movement = withdraw(ledger_, "sandbox", "CNY", 500);
  ASSERT_TRUE(movement);
  EXPECT_EQ(movement->amount, -500);
  EXPECT_EQ(balance(), 494);
  EXPECT_FALSE(withdraw(ledger_, "sandbox", "CNY", 495));
  EXPECT_FALSE(withdraw(ledger_, "sandbox", "USD", std::nullopt));
  withdraw_automatically();
  jump_to("2026-03-05 12:00:00");
  EXPECT_EQ(types_of(funds("2026-03-05")), Types{"withdrawal"});
  EXPECT_EQ(balance(), 0);
  set_automatic_withdrawals(ledger_, "sandbox", false);
  pay("order-2", 1000);
  jump_to("2026-03-07 12:00:00");
  EXPECT_EQ(balance(), 994);
}

TEST_F(FundsLinesTest, AFailedRefundIsDebitedAndCreditedAgain) {
  const Trade trade = pay("order-1", 1000, "late_refund_failure", "wechatpay");
  jump_to("2026-03-02 10:00:00");
  refund(trade, "refund-1", 500, 200ms);
  jump_to("2026-03-03 13:00:00");
  const FundsDay first = funds("2026-03-02", "wechatpay");
  ASSERT_EQ(types_of(first), (Types{"payment", "fee", "refund", "fee_returned"}));
  EXPECT_EQ(first.lines[3].balance, 497);
  const FundsDay second = funds("2026-03-03", "wechatpay");
  ASSERT_EQ(types_of(second), Types{"refund_returned"});
  EXPECT_EQ(second.lines[0].at, at_china("2026-03-03 12:00:00"));
  EXPECT_EQ(second.lines[0].balance, 997) << "the returned fee is not charged again";
}

TEST_F(FundsLinesTest, AReturnedRefundIsCreditedAgain) {
  const Trade trade = pay("order-1", 1000, "late_refund_failure");
  refund(trade, "refund-1", 500);
  advance_to("2026-03-03 12:00:00");
  const FundsDay second = funds("2026-03-03");
  ASSERT_EQ(types_of(second), Types{"refund_returned"});
  EXPECT_EQ(second.lines[0].amount, 500);
  EXPECT_EQ(ledger_.find_trade("sandbox", "order-1")->returned, 500);
}

TEST_F(FundsLinesTest, ASettlementInAnotherCurrencyMovesTheSettledMoney) {
  pay("order-1", 10'000, "settled_in_other_currency");
  EXPECT_TRUE(funds("2026-03-02").lines.empty()) << "nothing is settled yet";
  advance_to("2026-03-02 01:00:00");
  const FundsDay found = funds("2026-03-02");
  ASSERT_EQ(types_of(found), (Types{"payment", "fee"}));
  EXPECT_EQ(found.lines[0].currency, "USD");
  EXPECT_EQ(found.lines[0].amount, 1387);
  EXPECT_EQ(found.lines[1].amount, -41);
}

TEST_F(FundsLinesTest, ADroppedLineIsNotInTheBalance) {
  pay("order-1", 10'000, "drop_funds_line");
  const FundsDay found = funds("2026-03-02");
  ASSERT_EQ(types_of(found), Types{"fee"});
  EXPECT_EQ(found.lines[0].amount, -60);
  EXPECT_EQ(balance(), -60);
}

TEST_F(FundsLinesTest, ADoubledLineIsTwiceInTheBalance) {
  pay("order-1", 10'000, "double_funds_line");
  const FundsDay found = funds("2026-03-02");
  ASSERT_EQ(types_of(found), (Types{"payment", "fee", "payment"}));
  EXPECT_EQ(found.lines[0].amount, 10'000);
  EXPECT_EQ(found.lines[2].amount, 10'000);
  EXPECT_NE(found.lines[0].line_id, found.lines[2].line_id);
  EXPECT_EQ(balance(), 19'940);
}

TEST_F(FundsLinesTest, AnotherFeeIsInTheBalance) {
  pay("order-1", 10'000, "other_funds_fee");
  const FundsDay found = funds("2026-03-02");
  ASSERT_EQ(types_of(found), (Types{"payment", "fee"}));
  EXPECT_EQ(found.lines[1].amount, -161);
  EXPECT_EQ(balance(), 9839);
  jump_to("2026-03-03 12:00:00");
  pay("order-2", 1000);
  EXPECT_EQ(funds("2026-03-03").opening.at("CNY"), 9839);
}

TEST_F(FundsLinesTest, FaultsOfTradesDoNotChangeTheStatementOfFunds) {
  for (const char* scenario : {"drop_line", "double_line", "other_amount", "mixed_numbers"}) {
    pay(scenario, 1000, scenario, scenario);
    EXPECT_EQ(types_of(funds("2026-03-02", scenario)), (Types{"payment", "fee"})) << scenario;
    EXPECT_EQ(balance("CNY", scenario), 994) << scenario;
  }
}

TEST_F(FundsLinesTest, BalanceBreakShiftsTheBalancesOfOneDay) {
  pay("order-1", 1000);
  ledger_.statement_tables().add_fault("sandbox", "2026-03-02", DayFault::balance_break);
  jump_to("2026-03-03 12:00:00");
  const FundsDay broken = funds("2026-03-02");
  EXPECT_EQ(broken.opening.at("CNY"), 100);
  EXPECT_EQ(broken.lines.back().balance, 1094);
  EXPECT_EQ(funds("2026-03-03").opening.at("CNY"), 994);
}

}  // namespace
}  // namespace finality::sandbox
