#include "channel/alipay/statement/account_bill.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "channel/alipay/testing/test_statement.h"

namespace finality::alipay {
namespace {

using namespace alipay_test;

const std::vector<Cells> kRows{kAccountRow, kAccountFeeRow, kAccountRefundRow};
constexpr std::string_view kOneCredit = "#支出合计：0笔，共0.00元\r\n#收入合计：1笔，共95.00元\r\n";
constexpr std::string_view kOneDebit = "#支出合计：1笔，共95.00元\r\n#收入合计：0笔，共0.00元\r\n";

class AlipayAccountBill : public testing::Test {
 protected:
  ParsedStatement read(std::string_view file) const {
    return parsed(*channel_, {.kind = StatementKind::funds, .date = "2026-09-21"}, file);
  }
  std::string error_with(const Cells& changes) const {
    return read(csv("账务", kAccountNames, {changed(kAccountRow, changes)}, kOneCredit)).error();
  }
  LineKind kind_of(const char* type, bool is_credit) const {
    const Cells row = changed(kAccountRow, {{"业务类型", type},
                                            {"收入金额（+元）", is_credit ? "95.00" : ""},
                                            {"支出金额（-元）", is_credit ? "" : "-95.00"}});
    const auto statement = read(csv("账务", kAccountNames, {row}, is_credit ? kOneCredit : kOneDebit));
    EXPECT_EQ(statement.error(), "");
    return statement.lines.empty() ? LineKind::bank_debit : statement.lines.front().kind;
  }

  std::unique_ptr<AlipayChannel> channel_ = *make_alipay_channel(options_for(Mode::public_key));
};

TEST_F(AlipayAccountBill, ListsTheChangesOfTheBalance) {
  for (const Names& names : {kAccountNames, kNewAccountNames}) {
    const ParsedStatement statement = read(to_gb18030(csv("账务", names, kRows, kAccountTotals)));
    ASSERT_TRUE(statement.sums) << statement.error();
    const std::string numbers = "trade=2026112122001400000000000008/00000000000070000000000008 refund=/ CNY ";
    const std::string description = names == kAccountNames ? "" : " 002|交易退款";
    EXPECT_EQ(
        statement.texts(),
        (std::vector<std::string>{
            "payment succeeded id=200000000000001 " + numbers +
                "amount=9500 discount=0 fee=0 balance=109500 at=2026-09-21T01:15:00.000Z 在线支付",
            "fee succeeded id=200000000000002 " + numbers +
                "amount=-57 discount=0 fee=0 balance=109443 at=2026-09-21T01:15:00.000Z 收费",
            "refund succeeded id=200000000000003 " + numbers +
                "amount=-2850 discount=0 fee=0 balance=106593 at=2026-09-21T02:00:00.000Z 交易退款" + description}));
    const StatementSums& sums = statement.sums->front();
    EXPECT_EQ(sums.credits, 9500);
    EXPECT_EQ(sums.debits, 2907);
    EXPECT_EQ(sums.opening_balance, 100000);
    EXPECT_EQ(sums.closing_balance, 106593);
  }
}

TEST_F(AlipayAccountBill, BalancesOfLinesAreForReferenceOnly) {
  const Cells fee = changed(kAccountFeeRow, {{"账户余额（元）", "1.00"}});
  const auto statement = read(csv("账务", kAccountNames, {kAccountRow, fee, kAccountRefundRow}, kAccountTotals));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.sums->front().opening_balance, 100000);
  EXPECT_EQ(statement.sums->front().closing_balance, 106593);
}

TEST_F(AlipayAccountBill, TheOrderOfRowsAndColumnsDoesNotMatter) {
  Names names = kNewAccountNames;
  std::ranges::reverse(names);
  const auto statement = read(csv("账务", names, {kAccountRefundRow, kAccountFeeRow, kAccountRow}, kAccountTotals));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.sums->front().opening_balance, 100000);
  EXPECT_EQ(statement.sums->front().closing_balance, 106593);
}

TEST_F(AlipayAccountBill, TheTypeAndTheDirectionDetermineTheKind) {
  EXPECT_EQ(kind_of("在线支付", true), LineKind::payment);
  EXPECT_EQ(kind_of("在线支付", false), LineKind::other);
  EXPECT_EQ(kind_of("交易退款", false), LineKind::refund);
  EXPECT_EQ(kind_of("交易退款", true), LineKind::refund_returned);
  EXPECT_EQ(kind_of("收费", false), LineKind::fee);
  EXPECT_EQ(kind_of("服务费", false), LineKind::fee);
  EXPECT_EQ(kind_of("退费", true), LineKind::fee_returned);
  EXPECT_EQ(kind_of("提现", false), LineKind::withdrawal);
  EXPECT_EQ(kind_of("充值", true), LineKind::top_up);
  EXPECT_EQ(kind_of("转账", false), LineKind::other);
}

TEST_F(AlipayAccountBill, AnInvalidCellIsRejectedWithItsLineAndColumn) {
  const std::pair<const char*, const char*> rows[] = {{"账务流水号", ""},
                                                      {"发生时间", "2026-09-21"},
                                                      {"发生时间", "2026-09-19 12:00:00"},
                                                      {"收入金额（+元）", "95.001"},
                                                      {"支出金额（-元）", "x"},
                                                      {"账户余额（元）", ""}};
  for (const auto& [name, value] : rows) {
    const std::string error = error_with({{name, value}});
    const std::string shown = replaced(replaced(name, "（", "("), "）", ")");
    EXPECT_TRUE(error.starts_with("line 6, column " + shown + ": `" + value)) << error;
  }
  EXPECT_TRUE(error_with({{"支出金额（-元）", "-1.00"}}).contains("not the only amount"));
}

TEST_F(AlipayAccountBill, WrongTotalsAndMissingColumnsAreRejected) {
  for (const auto& [from, to] : {std::pair("支出合计：2笔", "支出合计：1笔"), std::pair("共-29.07", "共-29.06"),
                                 std::pair("收入合计：1笔", "收入合计：2笔"), std::pair("共95.00", "共95")}) {
    const std::string error = read(replaced(account_csv(), from, to)).error();
    EXPECT_EQ(error.contains("合计 differs from the rows"), std::string_view(to) != "共95") << error;
  }
  for (const std::string name : {"账务流水号", "业务流水号", "商户订单号", "发生时间", "收入金额（+元）",
                                 "支出金额（-元）", "账户余额（元）", "业务类型"}) {
    Names names = kAccountNames;
    std::erase(names, name);
    EXPECT_TRUE(read(csv("账务", names, kRows, kAccountTotals)).error().contains("is missing")) << name;
  }
}

TEST_F(AlipayAccountBill, AnotherAccountOrKindIsRejected) {
  EXPECT_TRUE(
      read(replaced(account_csv(), "20880000000000010156", "2088000000000002")).error().starts_with("line 2: "));
  EXPECT_TRUE(read(trade_csv()).error().starts_with("line 1: "));
}

}  // namespace
}  // namespace finality::alipay
