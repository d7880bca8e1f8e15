#include "channel/wechatpay/statement/trade_bill.h"

#include <gtest/gtest.h>

#include <numeric>

#include "channel/testing/statement_fixtures.h"
#include "channel/wechatpay/testing/test_bills.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

const Names kSums{"2", "95.00", "28.50", "0.00", "0.39900", "100.00", "30.00"};

const std::string kPayment =
    "payment succeeded id= trade=4200000000202609210000000001/00000000000070000000000008 refund=/ CNY amount=10000 "
    "discount=500 fee=57000 balance=none at=2026-09-21T01:15:00.000Z JSAPI SUCCESS";
const std::string kRefundLine =
    "refund processing id= trade=4200000000202609210000000001/00000000000070000000000008 "
    "refund=50000000382019052709732678859/00000000000070000000000009 CNY amount=3000 discount=150 fee=-17100 "
    "balance=none at=2026-09-21T02:00:00.000Z JSAPI REFUND ORIGINAL PROCESSING";

class WechatpayTradeBill : public testing::Test {
 protected:
  ParsedStatement read(std::string_view file) const {
    return parsed(*channel_, {.kind = StatementKind::trades, .date = "2026-09-21"}, file);
  }
  // The error of a statement in the layout ALL with this row in place of the payment.
  std::string error_with(const Cells& changes) const {
    return read(bill(kAll, {changed(kPaymentRow, changes), kRefundRow}, kAllSums, kSums)).error();
  }
  StatementLine line_with(const Cells& row, const Names& sums) const {
    const ParsedStatement statement = read(bill(kAll, {row}, kAllSums, sums));
    EXPECT_EQ(statement.error(), "");
    return statement.lines.empty() ? StatementLine() : statement.lines.front();
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(options());
};

TEST_F(WechatpayTradeBill, ListsPaymentsAndRefundsBeforeDiscountAndFee) {
  const ParsedStatement statement = read(trade_bill());
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts(), (std::vector<std::string>{kPayment, kRefundLine}));
  EXPECT_EQ(statement.lines[0].line_no, 2);
  ASSERT_EQ(statement.sums->size(), 1U);
  const StatementSums& sums = statement.sums->front();
  EXPECT_EQ(sums.payments, 1);
  EXPECT_EQ(sums.paid, 10000);
  EXPECT_EQ(sums.refunds, 1);
  EXPECT_EQ(sums.refunded, 3000);
  EXPECT_EQ(sums.fee_e5, 39900);
  EXPECT_FALSE(sums.opening_balance || sums.closing_balance);
}

TEST_F(WechatpayTradeBill, TheOrderOfTheColumnsDoesNotMatter) {
  Names names = kAll;
  for (std::size_t turn = 0; turn < kAll.size(); ++turn) {
    std::ranges::rotate(names, names.begin() + 1);
    const auto statement = read(bill(names, {kPaymentRow, kRefundRow}, kAllSums, kSums));
    EXPECT_EQ(statement.error(), "");
    EXPECT_EQ(statement.texts(), (std::vector<std::string>{kPayment, kRefundLine})) << turn;
  }
  std::ranges::reverse(names);
  EXPECT_EQ(read(bill(names, {kRefundRow, kPaymentRow}, kAllSums, kSums)).texts(),
            (std::vector<std::string>{kRefundLine, kPayment}));
}

TEST_F(WechatpayTradeBill, LineBreaksAndByteOrderMarkDoNotMatter) {
  EXPECT_EQ(read(with_lf(trade_bill())).texts(), read(trade_bill()).texts());
  EXPECT_EQ(read(trade_bill().substr(3)).texts(), read(trade_bill()).texts());
  EXPECT_EQ(read(trade_bill() + "\r\n\r\n").texts(), read(trade_bill()).texts());
}

TEST_F(WechatpayTradeBill, TheLayoutOfSuccessesHasPaymentsOnly) {
  const Names sums{"1", "95.00", "0.57000", "100.00"};
  EXPECT_EQ(read(bill(kSuccess, {kPaymentRow}, kSuccessSums, sums)).texts(), std::vector{kPayment});
  // A payment that was refunded on the same day stays a payment.
  const auto refunded = read(bill(kSuccess, {changed(kPaymentRow, {{"交易状态", "REFUND"}})}, kSuccessSums, sums));
  ASSERT_EQ(refunded.lines.size(), 1U) << refunded.error();
  EXPECT_EQ(refunded.lines[0].kind, LineKind::payment);
  EXPECT_EQ(refunded.lines[0].amount, 10000);
}

TEST_F(WechatpayTradeBill, TheLayoutOfRefundsStatesWhenTheRefundWasAccepted) {
  // In this layout the first column may contain the time of the payment.
  const Cells row = changed(kRefundRow, {{"交易时间", "2026-08-01 09:15:00"}});
  const auto statement =
      read(bill(kRefund, {row}, kAllSums, {"1", "0.00", "28.50", "0.00", "-0.17100", "0.00", "30.00"}));
  EXPECT_EQ(statement.error(), "");
  EXPECT_EQ(statement.texts(), std::vector{kRefundLine});
}

TEST_F(WechatpayTradeBill, TheLegacyLayoutsHaveOneAmount) {
  const Cells payment = changed(kPaymentRow, {{"总金额", "100.00"}});
  const Cells refund = changed(kRefundRow, {{"总金额", "0.00"}, {"退款金额", "30.00"}});
  const auto statement =
      read(bill(kLegacy, {payment, refund}, kLegacySums, {"2", "100.00", "30.00", "0.00", "0.39900"}));
  EXPECT_EQ(statement.error(), "");
  EXPECT_EQ(statement.texts(), (std::vector<std::string>{replaced(kPayment, "discount=500", "discount=0"),
                                                         replaced(kRefundLine, "discount=150", "discount=0")}));
  const auto refunds = read(bill(kLegacyRefund, {refund}, kLegacySums, {"1", "0.00", "30.00", "0.00", "-0.17100"}));
  EXPECT_EQ(refunds.error(), "");
  EXPECT_EQ(refunds.texts(), std::vector{replaced(kRefundLine, "discount=150", "discount=0")});
  EXPECT_EQ(kLegacy.size(), 24U);
}

TEST_F(WechatpayTradeBill, LayoutsHaveTheDocumentedNumberOfColumns) {
  EXPECT_EQ(kAll.size(), 27U);
  EXPECT_EQ(kSuccess.size(), 20U);
  EXPECT_EQ(kRefund.size(), 29U);
}

TEST_F(WechatpayTradeBill, CountsMayHaveADecimalPoint) {
  Names sums = kSums;
  sums[0] = "2.0";
  EXPECT_EQ(read(bill(kAll, {kPaymentRow, kRefundRow}, kAllSums, sums)).error(), "");
}

TEST_F(WechatpayTradeBill, CommasAndBackticksOfMerchantsDoNotMoveCells) {
  for (const char* subject : {"a,b,c", "`a`", "a,`9999.00,`b", "\"a", "a\\ b", ",", "\xff\xfe"}) {
    for (const char* name : {"商品名称", "商户数据包"}) {
      const auto statement = read(bill(kAll, {changed(kPaymentRow, {{name, subject}}), kRefundRow}, kAllSums, kSums));
      EXPECT_EQ(statement.error(), "") << subject;
      EXPECT_EQ(statement.texts(), (std::vector<std::string>{kPayment, kRefundLine})) << subject;
    }
  }
}

TEST_F(WechatpayTradeBill, OrdersOfPayScoreHaveTheNumberOfTheMerchantInTheirAttachment) {
  const Names sums{"1", "95.00", "0.00", "0.00", "0.57000", "100.00", "0.00"};
  const Cells row = changed(
      kPaymentRow,
      {{"交易类型", "AUTH"}, {"商户订单号", "wxzff1234"}, {"商户数据包", "wxzff|500001|00000000000070000000000008"}});
  EXPECT_EQ(line_with(row, sums).out_trade_no, "00000000000070000000000008");
  EXPECT_EQ(line_with(changed(row, {{"交易类型", "JSAPI"}}), sums).out_trade_no, "wxzff1234");
  EXPECT_EQ(line_with(changed(row, {{"商户数据包", ""}}), sums).out_trade_no, "wxzff1234");
}

TEST_F(WechatpayTradeBill, ARevokedTradeIsARefundOrAFailedPayment) {
  const Cells revoked = changed(kRefundRow, {{"交易状态", "REVOKED"}, {"退款状态", "SUCCESS"}});
  const StatementLine refund = line_with(revoked, {"1", "0.00", "28.50", "0.00", "-0.17100", "0.00", "30.00"});
  EXPECT_EQ(refund.kind, LineKind::refund);
  EXPECT_EQ(refund.amount, 3000);
  const StatementLine payment = line_with(changed(kPaymentRow, {{"交易状态", "REVOKED"}}),
                                          {"1", "95.00", "0.00", "0.00", "0.57000", "100.00", "0.00"});
  EXPECT_EQ(payment.kind, LineKind::payment);
  EXPECT_EQ(payment.status, LineStatus::failed);
}

TEST_F(WechatpayTradeBill, TheStatusOfARefundIsThatOfTheFile) {
  const Names sums{"1", "0.00", "28.50", "0.00", "-0.17100", "0.00", "30.00"};
  const std::pair<const char*, LineStatus> rows[] = {{"SUCCESS", LineStatus::succeeded},
                                                     {"PROCESSING", LineStatus::processing},
                                                     {"CHANGE", LineStatus::processing},
                                                     {"FAIL", LineStatus::failed}};
  for (const auto& [state, status] : rows)
    EXPECT_EQ(line_with(changed(kRefundRow, {{"退款状态", state}}), sums).status, status) << state;
}

TEST_F(WechatpayTradeBill, AnInvalidCellIsRejectedWithItsLineAndColumn) {
  const std::pair<const char*, const char*> rows[] = {{"交易时间", "2026-09-21"},
                                                      {"交易时间", "2026-09-19 12:00:00"},
                                                      {"交易时间", "2026-09-22 12:00:00"},
                                                      {"商户号", "1900000002"},
                                                      {"商户号", ""},
                                                      {"货币种类", "RMB"},
                                                      {"应结订单金额", "95.001"},
                                                      {"应结订单金额", "1e2"},
                                                      {"应结订单金额", ""},
                                                      {"应结订单金额", "100.01"},
                                                      {"应结订单金额", "-1.00"},
                                                      {"手续费", "0.570001"},
                                                      {"订单金额", "99999999999999999999.00"},
                                                      {"交易状态", "USERPAYING"}};
  for (const auto& [name, value] : rows) {
    const std::string error = error_with({{name, value}});
    EXPECT_TRUE(error.starts_with("line 2, column " + std::string(name) + ": `" + value)) << error;
  }
  const auto refund = read(bill(kAll, {kPaymentRow, changed(kRefundRow, {{"退款状态", "NEW"}})}, kAllSums, kSums));
  EXPECT_TRUE(refund.error().starts_with("line 3, column 退款状态: `NEW`")) << refund.error();
}

TEST_F(WechatpayTradeBill, APaymentWithoutATradeNumberIsRejected) {
  for (const char* number : {"", "0"})
    EXPECT_EQ(error_with({{"微信订单号", number}}),
              "line 2, column 微信订单号: `" + std::string(number) + "` is missing");
  const Cells refund = changed(kRefundRow, {{"微信订单号", ""}});
  EXPECT_EQ(read(bill(kAll, {kPaymentRow, refund}, kAllSums, kSums)).error(), "") << "it has its own number";
}

TEST_F(WechatpayTradeBill, ADayIsCutWithTolerance) {
  EXPECT_EQ(error_with({{"交易时间", "2026-09-20 23:59:59"}}), "");
  EXPECT_EQ(error_with({{"交易时间", "2026-09-22 00:00:00"}}), "");
}

TEST_F(WechatpayTradeBill, WrongSumsAreRejected) {
  for (std::size_t i = 0; i < kSums.size(); ++i) {
    Names sums = kSums;
    sums[i] = "7";
    const std::string error = read(bill(kAll, {kPaymentRow, kRefundRow}, kAllSums, sums)).error();
    EXPECT_TRUE(error.starts_with("line 5, column " + kAllSums[i] + ": `7` differs")) << error;
  }
  EXPECT_NE(read(bill(kAll, {kPaymentRow}, kAllSums, kSums)).error(), "");
}

TEST_F(WechatpayTradeBill, MissingAndDuplicateColumnsAreRejected) {
  for (const char* name :
       {"交易时间", "商户号", "微信订单号", "商户订单号", "交易状态", "货币种类", "应结订单金额", "手续费"}) {
    const std::string error = read(bill(without(kAll, name), {kPaymentRow, kRefundRow}, kAllSums, kSums)).error();
    EXPECT_EQ(error, "line 1: the column " + std::string(name) + " is missing");
  }
  EXPECT_EQ(read(bill(kAll + Names{"手续费"}, {kPaymentRow}, kAllSums, kSums)).error(),
            "line 1: the column 手续费 occurs twice");
  const std::string no_count =
      read(bill(kAll, {kPaymentRow, kRefundRow}, without(kAllSums, "总交易单数"), kSums)).error();
  EXPECT_EQ(no_count, "line 4: the column 总交易单数 is missing");
}

TEST_F(WechatpayTradeBill, PartsInAnotherOrderAreRejected) {
  EXPECT_EQ(read(row_of(kAll, kPaymentRow)).error(), "line 1: a row before the header");
  EXPECT_EQ(read(trade_bill() + row_of(kAll, kPaymentRow)).error(), "line 6: follows the sums");
  EXPECT_EQ(read(line_of(kAll, false) + row_of(kAll, kPaymentRow)).error(),
            "the file is incomplete: it ends before its sums");
  EXPECT_EQ(read("").error(), "the file is incomplete: it ends before its sums");
}

TEST_F(WechatpayTradeBill, ABombIsRejected) {
  const std::string rows = row_of(kAll, kPaymentRow);
  EXPECT_TRUE(read(gzip(line_of(kAll, false) + std::string(100'000'000, 'x'))).error().contains("longer than"));
  const std::string lines = gzip(std::string(10'000'000, '\n'));
  EXPECT_LT(lines.size(), 20'000U);
  EXPECT_TRUE(read(lines).error().starts_with("the file exceeds the work limit of ")) << read(lines).error();
  std::string blank = gzip(std::string(1'000'000, '\n'));
  EXPECT_EQ(read(blank).error(), "the file is incomplete: it ends before its sums");
  blank.resize(blank.size() - 9);
  EXPECT_EQ(read(blank).error(), "the compressed file is corrupt or incomplete");
}

}  // namespace
}  // namespace finality::wechatpay
