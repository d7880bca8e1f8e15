#include "channel/wechatpay/statement/fund_bill.h"

#include <gtest/gtest.h>

#include "channel/testing/statement_fixtures.h"
#include "channel/wechatpay/testing/test_bills.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

const Names kOneCredit{"1", "1", "95.00", "0", "0.00"};

class WechatpayFundBill : public testing::Test {
 protected:
  ParsedStatement read(std::string_view file) const {
    return parsed(*channel_, {.kind = StatementKind::funds, .funds_account = "BASIC", .date = "2026-09-21"}, file);
  }
  std::string error_with(const Cells& changes) const {
    return read(bill(kFund, {changed(kFundRow, changes)}, kFundSums, kOneCredit)).error();
  }
  LineKind kind_of(const char* business, const char* type, const char* direction) const {
    const bool is_credit = std::string_view(direction) == "收入";
    const Cells row = changed(kFundRow, {{"业务名称", business}, {"业务类型", type}, {"收支类型", direction}});
    const auto statement =
        read(bill(kFund, {row}, kFundSums, is_credit ? kOneCredit : Names{"1", "0", "0", "1", "95"}));
    EXPECT_EQ(statement.error(), "");
    return statement.lines.empty() ? LineKind::bank_debit : statement.lines.front().kind;
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(options());
};

TEST_F(WechatpayFundBill, ListsTheChangesOfTheBalance) {
  const ParsedStatement statement = read(fund_bill());
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts(),
            (std::vector<std::string>{
                "payment succeeded id=1900000001202609210000000001 "
                "trade=4200000000202609210000000001/00000000000070000000000008 refund=/ CNY amount=9500 discount=0 "
                "fee=0 balance=109500 at=2026-09-21T01:15:00.000Z 交易 交易",
                "fee succeeded id=1900000001202609210000000002 "
                "trade=4200000000202609210000000001/00000000000070000000000008 refund=/ CNY amount=-57 discount=0 "
                "fee=0 balance=109443 at=2026-09-21T01:15:00.000Z 交易 扣除交易手续费",
                "refund succeeded id=1900000001202609210000000003 trade=4200000000202609210000000001/ "
                "refund=50000000382019052709732678859/ CNY amount=-2850 discount=0 fee=0 balance=106593 "
                "at=2026-09-21T02:00:00.000Z 退款 退款"}));
  const StatementSums& sums = statement.sums->front();
  EXPECT_EQ(sums.lines, 3);
  EXPECT_EQ(sums.credits, 9500);
  EXPECT_EQ(sums.debits, 2907);
  EXPECT_EQ(sums.opening_balance, 100000);
  EXPECT_EQ(sums.closing_balance, 106593);
}

TEST_F(WechatpayFundBill, TheOrderOfRowsAndColumnsDoesNotMatter) {
  Names names = kFund;
  std::ranges::reverse(names);
  const Names sums{"3", "1", "95.00", "2", "29.07"};
  const auto statement = read(bill(names, {kFundRefundRow, kFundFeeRow, kFundRow}, kFundSums, sums));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.sums->front().opening_balance, 100000);
  EXPECT_EQ(statement.sums->front().closing_balance, 106593);
  EXPECT_EQ(statement.lines.front().kind, LineKind::refund);
}

TEST_F(WechatpayFundBill, AVoucherCanBeTheNumberOfTheRefund) {
  const Cells row = changed(kFundRefundRow, {{"业务凭证号", "00000000000070000000000009"}});
  const auto statement = read(bill(kFund, {row}, kFundSums, {"1", "0", "0.00", "1", "28.50"}));
  ASSERT_EQ(statement.lines.size(), 1U) << statement.error();
  EXPECT_EQ(statement.lines[0].out_refund_no, "00000000000070000000000009");
  EXPECT_EQ(statement.lines[0].channel_trade_no, "");
}

TEST_F(WechatpayFundBill, TheTypeAndTheDirectionDetermineTheKind) {
  EXPECT_EQ(kind_of("交易", "交易", "收入"), LineKind::payment);
  EXPECT_EQ(kind_of("交易", "交易", "支出"), LineKind::other);
  EXPECT_EQ(kind_of("交易", "扣除交易手续费", "支出"), LineKind::fee);
  EXPECT_EQ(kind_of("退款", "退款", "支出"), LineKind::refund);
  EXPECT_EQ(kind_of("退款", "退款关闭", "收入"), LineKind::refund_returned);
  EXPECT_EQ(kind_of("退款", "退还交易手续费", "收入"), LineKind::fee_returned);
  EXPECT_EQ(kind_of("充值/提现", "提现", "支出"), LineKind::withdrawal);
  EXPECT_EQ(kind_of("充值/提现", "自动提现", "支出"), LineKind::withdrawal);
  EXPECT_EQ(kind_of("充值/提现", "充值", "收入"), LineKind::top_up);
  EXPECT_EQ(kind_of("分账", "分账", "支出"), LineKind::other);
  EXPECT_EQ(kind_of("企业付款", "企业付款到零钱", "支出"), LineKind::other);
}

TEST_F(WechatpayFundBill, TextsOfMerchantsDoNotMoveCells) {
  for (const char* remark : {"a,b", "a,`b,`c", "`", "a\\nb"}) EXPECT_EQ(error_with({{"备注", remark}}), "") << remark;
}

TEST_F(WechatpayFundBill, AnInvalidCellIsRejectedWithItsLineAndColumn) {
  const std::pair<const char*, const char*> rows[] = {
      {"记账时间", "2026/09/21"}, {"记账时间", "2026-09-23 00:00:00"}, {"资金流水单号", ""},       {"收支类型", "转账"},
      {"收支金额(元)", "-95.00"}, {"收支金额(元)", "95.000"},          {"账户结余(元)", "unknown"}};
  for (const auto& [name, value] : rows) {
    const std::string error = error_with({{name, value}});
    EXPECT_TRUE(error.starts_with("line 2, column " + std::string(name) + ": `" + value)) << error;
  }
}

TEST_F(WechatpayFundBill, WrongSumsAndMissingColumnsAreRejected) {
  for (std::size_t i = 0; i < kFundSums.size(); ++i) {
    Names sums = kOneCredit;
    sums[i] = "7";
    const std::string error = read(bill(kFund, {kFundRow}, kFundSums, sums)).error();
    EXPECT_TRUE(error.contains(kFundSums[i] + ": `7` differs")) << error;
    EXPECT_TRUE(
        read(bill(kFund, {kFundRow}, without(kFundSums, kFundSums[i]), kOneCredit)).error().contains("missing"));
  }
  for (const char* name :
       {"记账时间", "微信支付业务单号", "资金流水单号", "业务类型", "收支类型", "收支金额(元)", "账户结余(元)"})
    EXPECT_EQ(read(bill(without(kFund, name), {kFundRow}, kFundSums, kOneCredit)).error(),
              "line 1: the column " + std::string(name) + " is missing");
}

}  // namespace
}  // namespace finality::wechatpay
