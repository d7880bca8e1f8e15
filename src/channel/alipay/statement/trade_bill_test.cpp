#include "channel/alipay/statement/trade_bill.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "channel/alipay/testing/test_statement.h"

namespace finality::alipay {
namespace {

using namespace alipay_test;

const std::string kPayment =
    "payment succeeded id= trade=2026112122001400000000000008/00000000000070000000000008 refund=/ CNY amount=10000 "
    "discount=500 fee=57000 balance=none at=2026-09-21T01:15:00.000Z 交易";
const std::string kRefund =
    "refund succeeded id= trade=2026112122001400000000000008/00000000000070000000000008 "
    "refund=/00000000000070000000000009 CNY amount=3000 discount=150 fee=-17000 balance=none "
    "at=2026-09-21T02:00:00.000Z 退款";

class AlipayTradeBill : public testing::Test {
 protected:
  ParsedStatement read(std::string_view file) const {
    return parsed(*channel_, {.kind = StatementKind::trades, .date = "2026-09-21"}, file);
  }
  // The error of a statement with a changed payment.
  std::string error_with(const Cells& changes) const {
    return read(csv("业务", kTradeNames, {changed(kPaymentRow, changes), kRefundRow}, kTradeTotals)).error();
  }

  std::unique_ptr<AlipayChannel> channel_ = *make_alipay_channel(options_for(Mode::public_key));
};

TEST_F(AlipayTradeBill, ListsPaymentsAndRefundsBeforeDiscountAndFee) {
  const ParsedStatement statement = read(to_gb18030(trade_csv()));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts(), (std::vector<std::string>{kPayment, kRefund}));
  EXPECT_EQ(statement.lines[0].line_no, 6);
  ASSERT_EQ(statement.sums->size(), 1U);
  EXPECT_EQ(statement.sums->front().paid, 10000);
  EXPECT_EQ(statement.sums->front().refunded, 3000);
  EXPECT_EQ(statement.sums->front().fee_e5, 40000);
  EXPECT_EQ(kTradeNames.size(), 25U);
}

TEST_F(AlipayTradeBill, IsReadInEveryForm) {
  const std::string rows = to_gb18030(trade_csv());
  const std::string sums = to_gb18030("#支付宝业务汇总查询\r\n");
  const std::string names[] = {to_gb18030("2088_20260921_业务明细.csv"),
                               to_gb18030("2088_20260921_业务明细(汇总).csv")};
  const std::string files[] = {zip_of({{names[0], rows}, {names[1], sums}}),
                               zip_of({{names[1], sums}, {names[0], rows, false}}),
                               zip_of({{"2088_?(?).csv", sums}, {"2088_?.csv", rows}}),
                               rows,
                               gzip(rows),
                               trade_csv(),
                               "\xEF\xBB\xBF" + trade_csv(),
                               to_gb18030(with_lf(trade_csv()))};
  for (const std::string& file : files) {
    const ParsedStatement statement = read(file);
    EXPECT_EQ(statement.error(), "");
    EXPECT_EQ(statement.texts(), (std::vector<std::string>{kPayment, kRefund}));
  }
}

TEST_F(AlipayTradeBill, TheOrderOfTheColumnsDoesNotMatter) {
  Names names = kTradeNames;
  for (std::size_t turn = 0; turn < names.size(); ++turn) {
    std::ranges::rotate(names, names.begin() + 1);
    const auto statement = read(csv("业务", names, {kPaymentRow, kRefundRow}, kTradeTotals));
    EXPECT_EQ(statement.error(), "");
    EXPECT_EQ(statement.texts(), (std::vector<std::string>{kPayment, kRefund}));
  }
}

TEST_F(AlipayTradeBill, SignsAndParenthesesDoNotMatter) {
  const Cells refund = changed(kRefundRow, {{"订单金额（元）", "30.00"}, {"商家实收（元）", "28.50"}});
  EXPECT_EQ(read(csv("业务", kTradeNames, {kPaymentRow, refund}, kTradeTotals)).texts(),
            (std::vector<std::string>{kPayment, kRefund}));
  EXPECT_EQ(read(replaced(replaced(trade_csv(), "（", "("), "）", ")")).texts(),
            (std::vector<std::string>{kPayment, kRefund}));
}

TEST_F(AlipayTradeBill, SpreadsheetsMayAddCommas) {
  EXPECT_EQ(read(replaced(trade_csv(), "\r\n", ",,,\r\n")).texts(), (std::vector<std::string>{kPayment, kRefund}));
}

TEST_F(AlipayTradeBill, OneOfTheTimesIsOnTheDay) {
  EXPECT_EQ(error_with({{"完成时间", "2026-09-23 00:10:00"}}), "");
  EXPECT_EQ(error_with({{"创建时间", "2026-09-19 09:14:50"}}), "");
  EXPECT_EQ(error_with({{"完成时间", ""}}), "");
  EXPECT_TRUE(error_with({{"创建时间", "2026-09-19 09:14:50"}, {"完成时间", "2026-09-23 10:00:00"}}).contains("day"));
}

TEST_F(AlipayTradeBill, ADayWithoutRowsHasNoLines) {
  const auto statement = read(csv("业务", kTradeNames, {}, "#交易合计：0笔，商家实收共0.00元，商家优惠共0.00元\r\n"));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_TRUE(statement.sums->empty() && statement.lines.empty());
}

TEST_F(AlipayTradeBill, AnInvalidCellIsRejectedWithItsLineAndColumn) {
  const std::pair<const char*, const char*> rows[] = {{"业务类型", "转账"},          {"完成时间", "21/09/2026 10:00"},
                                                      {"订单金额（元）", "100.001"}, {"订单金额（元）", "一百"},
                                                      {"商家实收（元）", ""},        {"商家实收（元）", "100.01"},
                                                      {"服务费（元）", "0.123456"}};
  for (const auto& [name, value] : rows) {
    const std::string error = error_with({{name, value}});
    const std::string shown = replaced(replaced(name, "（", "("), "）", ")");
    EXPECT_TRUE(error.starts_with("line 6, column " + shown + ": `" + value)) << error;
  }
  EXPECT_TRUE(error_with({{"商品名称", "a,b"}}).starts_with("line 6: 26 columns, but the header has 25"));
}

TEST_F(AlipayTradeBill, APaymentWithoutATradeNumberIsRejected) {
  EXPECT_TRUE(error_with({{"支付宝交易号", ""}}).starts_with("line 6, column 支付宝交易号: ")) << "is missing";
}

TEST_F(AlipayTradeBill, WrongTotalsAreRejected) {
  const std::string file = trade_csv();
  for (const auto& [from, to] : {std::pair("交易合计：1笔", "交易合计：2笔"), std::pair("共95.00", "共95.01"),
                                 std::pair("优惠共5.00", "优惠共5.01"), std::pair("退款合计：1笔", "退款合计：0笔"),
                                 std::pair("共-28.50", "共-28.49")}) {
    const std::string error = read(replaced(file, from, to)).error();
    EXPECT_TRUE(error.starts_with("line ") && error.contains("合计 differs from the rows")) << from << error;
  }
  EXPECT_TRUE(
      read(csv("业务", kTradeNames, {kPaymentRow, kRefundRow, kRefundRow}, kTradeTotals)).error().contains("合计"));
  EXPECT_TRUE(read(replaced(file, "#退款合计", "#")).error().contains("no line 退款合计"));
  EXPECT_TRUE(read(replaced(file, "合计：1笔", "合计：many")).error().contains("no valid count"));
}

TEST_F(AlipayTradeBill, AnotherAccountDayOrKindIsRejected) {
  const std::string file = trade_csv();
  EXPECT_TRUE(read(replaced(file, "20880000000000010156", "20880000000000020156")).error().starts_with("line 2: "));
  EXPECT_TRUE(read(replaced(file, "#账号", "#")).error().contains("账号"));
  EXPECT_TRUE(read(replaced(file, "2026年09月21日 00", "2026年09月20日 00")).error().starts_with("line 3: "));
  EXPECT_TRUE(read(replaced(file, "2026年09月22日 00", "2026年10月01日 00")).error().starts_with("line 3: "));
  EXPECT_TRUE(read(account_csv()).error().starts_with("line 1: "));
  EXPECT_TRUE(read(replaced(file, "明细查询", "汇总查询")).error().starts_with("line 1: "));
  EXPECT_EQ(read(replaced(file, "20880000000000010156", "2088000000000001")).error(), "");
  EXPECT_EQ(read(replaced(file, "2026年09月22日 00:00:00", "2026年09月21日 23:59:59")).error(), "");
}

TEST_F(AlipayTradeBill, MissingColumnsAreRejected) {
  for (const std::string name : {"支付宝交易号", "商户订单号", "业务类型", "创建时间", "完成时间", "订单金额（元）",
                                 "商家实收（元）", "退款批次号/请求号", "服务费（元）"}) {
    Names names = kTradeNames;
    std::erase(names, name);
    const std::string error = read(csv("业务", names, {kPaymentRow, kRefundRow}, kTradeTotals)).error();
    EXPECT_TRUE(error.starts_with("line 5: the column ") && error.ends_with("is missing")) << error;
  }
}

TEST_F(AlipayTradeBill, ABombIsRejected) {
  const auto blank = [](std::size_t lines) { return zip_of({{"a.csv", std::string(lines, '\n')}}); };
  EXPECT_EQ(read(blank(1'000'000)).error(), "the file is incomplete: it ends before 列表结束");
  EXPECT_TRUE(read(blank(10'000'000)).error().starts_with("the file exceeds the work limit of "));
  EXPECT_TRUE(read(zip_of({{"a.csv", std::string(10'000'000, 'x')}})).error().contains("longer than"));
}

}  // namespace
}  // namespace finality::alipay
