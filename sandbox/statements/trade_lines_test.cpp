#include "sandbox/statements/trade_lines.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

class TradeLinesTest : public TestLedger {
 protected:
  std::vector<TradeLine> lines(std::string_view date, const std::string& channel = "sandbox",
                               FileState state = FileState::final) {
    return trade_lines(ledger_, channel, day(date), state);
  }
  // Pays a trade of 10.00 at the time and returns the day's last line.
  TradeLine line_of(const std::string& scenario, std::string_view time) {
    jump_to(time);
    pay(scenario, 1000, scenario);
    const auto all = lines("2026-03-02");
    EXPECT_FALSE(all.empty()) << scenario;
    return all.empty() ? TradeLine() : all.back();
  }
};

TEST_F(TradeLinesTest, DaysAreCutAtMidnightInChina) {
  jump_to("2026-03-02 23:59:59");
  pay("order-1", 1000);
  jump_to("2026-03-03 00:00:00");
  pay("order-2", 1000);
  ASSERT_EQ(lines("2026-03-02").size(), 1u);
  ASSERT_EQ(lines("2026-03-03").size(), 1u);
  EXPECT_EQ(lines("2026-03-02")[0].trade.out_trade_no, "order-1");
  EXPECT_EQ(lines("2026-03-03")[0].trade.out_trade_no, "order-2");
}

TEST_F(TradeLinesTest, LinesHaveFeesAndAreInOrderOfTime) {
  const Trade trade = pay("order-1", 1234);
  jump_to("2026-03-02 10:00:00");
  refund(trade, "refund-1", 234);
  jump_to("2026-03-02 11:00:00");
  pay("order-2", 84, "manual", "sandbox", "JPY");
  const auto all = lines("2026-03-02");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].amount, 1234);
  EXPECT_EQ(all[0].fee, 7);
  EXPECT_EQ(all[1].refund->out_refund_no, "refund-1");
  EXPECT_EQ(all[1].amount, 234);
  EXPECT_EQ(all[1].fee, -1);
  EXPECT_EQ(all[1].status, LineStatus::success);
  EXPECT_EQ(all[2].currency, "JPY");
  EXPECT_EQ(all[2].fee, 1);
}

TEST_F(TradeLinesTest, ARefundIsListedOnTheDayOfItsAcceptanceWithTheStatusOfThatDay) {
  const Trade trade = pay("order-1", 1000, "manual", "wechatpay");
  jump_to("2026-03-02 12:00:00");
  refund(trade, "refund-1", 100, 200ms);
  jump_to("2026-03-02 23:59:59");
  refund(trade, "refund-2", 200, 2s);
  jump_to("2026-03-04 00:00:00");
  const auto all = lines("2026-03-02", "wechatpay");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].status, LineStatus::success);
  EXPECT_EQ(all[2].status, LineStatus::processing) << "it succeeded on the next day";
  EXPECT_TRUE(lines("2026-03-03", "wechatpay").empty());
}

TEST_F(TradeLinesTest, ARefundThatFailsLaterStaysProcessing) {
  const Trade trade = pay("order-1", 1000, "late_refund_failure", "wechatpay");
  jump_to("2026-03-02 10:00:00");
  refund(trade, "refund-1", 100, 200ms);
  jump_to("2026-03-02 11:00:00");
  refund(trade, "refund-2", 100, 200ms);
  jump_to("2026-03-05 00:00:00");
  const auto all = lines("2026-03-02", "wechatpay");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].status, LineStatus::processing);
  EXPECT_EQ(all[2].status, LineStatus::success) << "only the first refund fails";
  EXPECT_EQ(ledger_.find_refund("wechatpay", "refund-1")->state, "closed");
  EXPECT_EQ(ledger_.find_refund("wechatpay", "refund-1")->settles_at, at_china("2026-03-03 12:00:00"));
}

TEST_F(TradeLinesTest, ARefusedRefundHasNoLine) {
  const Trade trade = pay("order-1", 1000, "abandoned_refund_pays", "alipay");
  EXPECT_FALSE(ledger_.refund({.channel = "alipay",
                               .out_refund_no = "refund-1",
                               .trade_no = trade.trade_no,
                               .amount = 100,
                               .currency = "CNY"}));
  EXPECT_TRUE(ledger_.find_refund("alipay", "refund-1"));
  EXPECT_EQ(lines("2026-03-02", "alipay").size(), 1u);
}

TEST_F(TradeLinesTest, ScenariosChangeTheLineOfThePayment) {
  EXPECT_EQ(line_of("other_amount", "2026-03-02 01:00:00").amount, 1001);
  EXPECT_EQ(line_of("other_currency", "2026-03-02 02:00:00").currency, "USD");
  const TradeLine discount = line_of("other_discount", "2026-03-02 03:00:00");
  EXPECT_EQ(discount.discount, 100);
  EXPECT_EQ(discount.amount, 1000);
  EXPECT_EQ(line_of("other_fee", "2026-03-02 04:00:00").fee, 17);
}

TEST_F(TradeLinesTest, ScenariosDropAndDoubleLines) {
  pay("order-1", 1000, "drop_line");
  EXPECT_TRUE(lines("2026-03-02").empty());
  pay("order-2", 1000, "double_line");
  const auto all = lines("2026-03-02");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].trade.trade_no, all[1].trade.trade_no);
}

TEST_F(TradeLinesTest, OtherStatusListsASuccessfulRefundAsFailed) {
  const Trade trade = pay("order-1", 1000, "other_status");
  jump_to("2026-03-02 10:00:00");
  refund(trade, "refund-1", 100);
  const auto all = lines("2026-03-02");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].status, LineStatus::success);
  EXPECT_EQ(all[1].status, LineStatus::failed);
}

TEST_F(TradeLinesTest, ShiftDayListsThePaymentOneSecondAfterMidnight) {
  jump_to("2026-03-02 12:00:00");
  pay("order-1", 1000, "shift_day");
  EXPECT_TRUE(lines("2026-03-02").empty());
  const auto all = lines("2026-03-03");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].at, at_china("2026-03-03 00:00:01"));
  EXPECT_TRUE(lines("2026-03-04").empty());
}

TEST_F(TradeLinesTest, MixedNumbersAddALineWithTheTradeNumberOfTheFirstPayment) {
  const Trade first = pay("order-1", 1000);
  jump_to("2026-03-03 10:00:00");
  const Trade second = pay("order-2", 2000, "mixed_numbers");
  const auto all = lines("2026-03-03");
  ASSERT_EQ(all.size(), 2u);
  std::vector<std::string> trade_nos;
  for (const TradeLine& line : all) {
    EXPECT_EQ(line.trade.out_trade_no, "order-2");
    EXPECT_EQ(line.amount, 2000);
    trade_nos.push_back(line.trade.trade_no);
  }
  std::ranges::sort(trade_nos);
  std::vector<std::string> expected{first.trade_no, second.trade_no};
  std::ranges::sort(expected);
  EXPECT_EQ(trade_nos, expected);
}

TEST_F(TradeLinesTest, TheFirstPaymentOfAnAccountHasNoMixedNumbers) {
  pay("order-1", 1000, "manual", "alipay");
  pay("order-2", 1000, "mixed_numbers");
  EXPECT_EQ(lines("2026-03-02").size(), 1u);
}

TEST_F(TradeLinesTest, FaultsOfFundsDoNotChangeTheStatementOfTrades) {
  for (const char* scenario : {"drop_funds_line", "double_funds_line", "other_funds_fee"}) {
    pay(scenario, 1000, scenario, scenario);
    const auto all = lines("2026-03-02", scenario);
    ASSERT_EQ(all.size(), 1u) << scenario;
    EXPECT_EQ(all[0].amount, 1000);
    EXPECT_EQ(all[0].fee, 6);
  }
}

TEST_F(TradeLinesTest, AShortenedFileLacksTheLastPayment) {
  pay("order-1", 1000);
  EXPECT_EQ(lines("2026-03-02", "sandbox", FileState::shortened).size(), 1u) << "the only payment stays";
  jump_to("2026-03-02 10:00:00");
  const Trade second = pay("order-2", 1000);
  jump_to("2026-03-02 11:00:00");
  refund(second, "refund-1", 100);
  const auto shortened = lines("2026-03-02", "sandbox", FileState::shortened);
  ASSERT_EQ(shortened.size(), 2u);
  EXPECT_EQ(shortened[0].trade.out_trade_no, "order-1");
  EXPECT_TRUE(shortened[1].refund);
}

TEST_F(TradeLinesTest, TheFirstVersionLacksTheLastPaymentAndDoublesTheFirst) {
  pay("order-1", 1000);
  jump_to("2026-03-02 10:00:00");
  const Trade second = pay("order-2", 1000);
  jump_to("2026-03-02 11:00:00");
  refund(second, "refund-1", 100);
  const auto first = lines("2026-03-02", "sandbox", FileState::first_version);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].trade.out_trade_no, "order-1");
  EXPECT_EQ(first[1].trade.out_trade_no, "order-1");
  EXPECT_TRUE(first[2].refund);
}

}  // namespace
}  // namespace finality::sandbox
