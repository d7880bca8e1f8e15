#include "sandbox/wechatpay/bill.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>

#include "sandbox/wechatpay/order.h"

namespace finality::sandbox {
namespace {

constexpr std::string_view kPaidAt = "2026-11-21T14:50:13Z";      // 22:50:13 in Beijing
constexpr std::string_view kRefundedAt = "2026-11-21T15:10:00Z";  // 23:10:00

Trade trade() {
  return {.trade_no = "4200202611215341300000015802",
          .channel = "wechatpay",
          .out_trade_no = "order-000001",
          .state = TradeState::paid,
          .amount = 8000,
          .currency = "CNY",
          .paid = 8000,
          .refunded = 100,
          .payer = "Ada Ash",
          .subject = "Tea, green",
          .product = "native",
          .details = write_details({.attach = "table 7", .openid = "oUpF8uMuAJO", .fingerprint = "", .signer = ""}),
          .created_at = {},
          .paid_at = parse_rfc3339(kPaidAt)};
}

Refund refund() {
  return {.refund_no = "50000202611215460000000015802",
          .channel = "wechatpay",
          .out_refund_no = "refund-1",
          .trade_no = trade().trade_no,
          .amount = 100,
          .currency = "CNY",
          .created_at = *parse_rfc3339(kRefundedAt) - Duration{1000},
          .settles_at = *parse_rfc3339(kRefundedAt)};
}

std::vector<TradeLine> trade_lines_of_day() {
  const TradeLine payment{
      .at = *parse_rfc3339(kPaidAt), .trade = trade(), .currency = "CNY", .amount = 8000, .fee = 48};
  const TradeLine refunded{
      .at = refund().created_at, .trade = trade(), .refund = refund(), .currency = "CNY", .amount = 100, .fee = -1};
  return {payment, refunded};
}

FundsDay funds_of_day() {
  const FundsLine payment{.line_id = "420001",
                          .at = *parse_rfc3339(kPaidAt),
                          .type = FundsType::payment,
                          .trade = trade(),
                          .currency = "CNY",
                          .amount = 8000,
                          .balance = 8250};
  FundsLine fee = payment;
  fee.line_id = "420002";
  fee.type = FundsType::fee;
  fee.amount = -48;
  fee.balance = 8202;
  const FundsLine refunded{.line_id = "500003",
                           .at = *parse_rfc3339(kRefundedAt),
                           .type = FundsType::refund,
                           .trade = trade(),
                           .refund = refund(),
                           .currency = "CNY",
                           .amount = -100,
                           .balance = 8102};
  FundsLine returned = refunded;
  returned.line_id = "500004";
  returned.type = FundsType::fee_returned;
  returned.amount = 1;
  returned.balance = 8103;
  const FundsLine withdrawal{.line_id = "900001",
                             .at = *parse_rfc3339(kRefundedAt),
                             .type = FundsType::withdrawal,
                             .currency = "CNY",
                             .amount = -8103,
                             .balance = 0,
                             .memo = "to the bank"};
  return {.lines = {payment, fee, refunded, returned, withdrawal}, .opening = {{"CNY", 250}}};
}

WechatpayDay day() {
  return {.merchant = kWechatpayMerchants[0], .trades = trade_lines_of_day(), .funds = funds_of_day()};
}

std::string lines(std::initializer_list<std::string_view> all) {
  std::string text = "\xEF\xBB\xBF";
  for (const std::string_view line : all) {
    text += line;
    text += "\r\n";
  }
  return text;
}

TEST(WechatpayBill, AllHasTheTwentySevenColumnsOfTheRealBill) {
  EXPECT_EQ(
      trade_bill(TradeBillType::all, day()),
      lines({"交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,"
             "货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,"
             "商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注",
             "`2026-11-21 22:50:13,`wx0f1a0c0de0000001,`1900000001,`0,`,`4200202611215341300000015802,`order-000001,"
             "`oUpF8uMuAJO,`NATIVE,`SUCCESS,`OTHERS,`CNY,`80.00,`0.00,`0,`0,`0.00,`0.00,`,`,`Tea\\  green,`table 7,"
             "`0.48000,`0.60%,`80.00,`0.00,`",
             "`2026-11-21 23:09:59,`wx0f1a0c0de0000001,`1900000001,`0,`,`4200202611215341300000015802,`order-000001,"
             "`oUpF8uMuAJO,`NATIVE,`REFUND,`OTHERS,`CNY,`0.00,`0.00,`50000202611215460000000015802,`refund-1,`1.00,"
             "`0.00,`ORIGINAL,`SUCCESS,`Tea\\  green,`table 7,`-0.01000,`0.60%,`0.00,`1.00,`",
             "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额",
             "`2,`80.00,`1.00,`0.00,`0.47000,`80.00,`1.00"}));
}

TEST(WechatpayBill, SuccessHasPaymentsOnlyAndTwentyColumns) {
  EXPECT_EQ(
      trade_bill(TradeBillType::success, day()),
      lines({"交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,"
             "货币种类,应结订单金额,代金券金额,商品名称,商户数据包,手续费,费率,订单金额,费率备注",
             "`2026-11-21 22:50:13,`wx0f1a0c0de0000001,`1900000001,`0,`,`4200202611215341300000015802,`order-000001,"
             "`oUpF8uMuAJO,`NATIVE,`SUCCESS,`OTHERS,`CNY,`80.00,`0.00,`Tea\\  green,`table 7,`0.48000,`0.60%,`80.00,`",
             "总交易单数,应结订单总金额,手续费总金额,订单总金额", "`1,`80.00,`0.48000,`80.00"}));
}

TEST(WechatpayBill, RefundHasTheRefundsTwoTimesAfterThePayments) {
  EXPECT_EQ(
      trade_bill(TradeBillType::refund, day()),
      lines({"交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,"
             "货币种类,应结订单金额,代金券金额,退款申请时间,退款成功时间,微信退款单号,商户退款单号,退款金额,"
             "充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注",
             "`2026-11-21 22:50:13,`wx0f1a0c0de0000001,`1900000001,`0,`,`4200202611215341300000015802,`order-000001,"
             "`oUpF8uMuAJO,`NATIVE,`REFUND,`OTHERS,`CNY,`0.00,`0.00,`2026-11-21 23:09:59,`2026-11-21 23:10:00,"
             "`50000202611215460000000015802,`refund-1,`1.00,`0.00,`ORIGINAL,`SUCCESS,`Tea\\  green,`table 7,"
             "`-0.01000,`0.60%,`0.00,`1.00,`",
             "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额",
             "`1,`0.00,`1.00,`0.00,`-0.01000,`0.00,`1.00"}));
}

TEST(WechatpayBill, TheFundBillHasARunningBalance) {
  EXPECT_EQ(
      fund_bill(day()),
      lines({"记账时间,微信支付业务单号,资金流水单号,业务名称,业务类型,收支类型,收支金额(元),账户结余(元),"
             "资金变更提交申请人,备注,业务凭证号",
             "`2026-11-21 22:50:13,`4200202611215341300000015802,`420001,`交易,`交易,`收入,`80.00,`82.50,`system,"
             "`结算总金额 80.00 元;含手续费 0.48 元,`order-000001",
             "`2026-11-21 22:50:13,`4200202611215341300000015802,`420002,`交易,`扣除交易手续费,`支出,`0.48,`82.02,"
             "`system,`,`order-000001",
             "`2026-11-21 23:10:00,`50000202611215460000000015802,`500003,`退款,`退款,`支出,`1.00,`81.02,"
             "`1900000001API,`,`refund-1",
             "`2026-11-21 23:10:00,`50000202611215460000000015802,`500004,`退款,`退还交易手续费,`收入,`0.01,`81.03,"
             "`1900000001API,`,`refund-1",
             "`2026-11-21 23:10:00,`900001,`900001,`充值/提现,`提现,`支出,`81.03,`0.00,`system,`to the bank,`900001",
             "资金流水总笔数,收入笔数,收入金额,支出笔数,支出金额", "`5,`2,`80.01,`3,`82.51"}));
}

TEST(WechatpayBill, TheLegacyLayoutHasTwentyFourColumns) {
  WechatpayDay legacy = day();
  legacy.is_legacy = true;
  EXPECT_EQ(
      trade_bill(TradeBillType::all, legacy),
      lines({"交易时间,公众账号ID,商户号,子商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,"
             "货币种类,总金额,代金券或立减优惠金额,微信退款单号,商户退款单号,退款金额,代金券或立减优惠退款金额,"
             "退款类型,退款状态,商品名称,商户数据包,手续费,费率",
             "`2026-11-21 22:50:13,`wx0f1a0c0de0000001,`1900000001,`0,`,`4200202611215341300000015802,`order-000001,"
             "`oUpF8uMuAJO,`NATIVE,`SUCCESS,`OTHERS,`CNY,`80.00,`0.00,`0,`0,`0.00,`0.00,`,`,`Tea\\  green,`table 7,"
             "`0.48000,`0.60%",
             "`2026-11-21 23:09:59,`wx0f1a0c0de0000001,`1900000001,`0,`,`4200202611215341300000015802,`order-000001,"
             "`oUpF8uMuAJO,`NATIVE,`REFUND,`OTHERS,`CNY,`0.00,`0.00,`50000202611215460000000015802,`refund-1,`1.00,"
             "`0.00,`ORIGINAL,`SUCCESS,`Tea\\  green,`table 7,`-0.01000,`0.60%",
             "总交易单数,总交易额,总退款金额,总代金券或立减优惠退款金额,手续费总金额",
             "`2,`80.00,`1.00,`0.00,`0.47000"}));
}

TEST(WechatpayBill, ADiscountReducesTheSettledAmount) {
  WechatpayDay discounted = day();
  discounted.trades.pop_back();
  discounted.trades[0].discount = 800;
  const std::string bill = trade_bill(TradeBillType::success, discounted);
  EXPECT_TRUE(bill.contains(",`CNY,`72.00,`0.00,`Tea")) << bill;
  EXPECT_TRUE(bill.contains(",`0.60%,`80.00,`\r\n")) << bill;
  EXPECT_TRUE(bill.ends_with("`1,`72.00,`0.48000,`80.00\r\n")) << bill;
}

TEST(WechatpayBill, ARefundThatIsNotFinalHasNoSuccessTime) {
  WechatpayDay open = day();
  open.trades[1].status = LineStatus::processing;
  const std::string bill = trade_bill(TradeBillType::refund, open);
  EXPECT_TRUE(bill.contains(",`2026-11-21 23:09:59,`,`50000202611215460000000015802,")) << bill;
  EXPECT_TRUE(bill.contains(",`ORIGINAL,`PROCESSING,")) << bill;
  open.trades[1].status = LineStatus::failed;
  EXPECT_TRUE(trade_bill(TradeBillType::refund, open).contains(",`ORIGINAL,`FAIL,"));
}

TEST(WechatpayBill, TextFromTheMerchantCannotEndACellOrALine) {
  WechatpayDay evil = day();
  for (TradeLine& line : evil.trades) line.trade.subject = "a,`b\r\nc";
  const std::string bill = trade_bill(TradeBillType::all, evil);
  EXPECT_TRUE(bill.contains(",`a\\ `b  c,`"));
  EXPECT_EQ(std::ranges::count(bill, '\n'), 5);
}

TEST(WechatpayBill, ADayWithoutLinesHasNoBill) {
  WechatpayDay payment = day();
  payment.trades.pop_back();
  EXPECT_EQ(trade_bill(TradeBillType::refund, payment), "");
  EXPECT_EQ(trade_bill(TradeBillType::all, {}), "");
  EXPECT_EQ(fund_bill({}), "");
}

TEST(WechatpayBill, GzipUnpacksToTheSame) {
  for (const std::string& content : {std::string(), std::string("x"), fund_bill(day()), std::string(1 << 20, 'x')}) {
    const std::string packed = gzip(content);
    z_stream stream{};
    ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);  // 15: maximum window; 16: accept only the gzip format
    std::string unpacked(content.size() + 1, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
    stream.avail_out = static_cast<uInt>(unpacked.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    unpacked.resize(stream.total_out);
    EXPECT_EQ(stream.avail_in, 0u);
    inflateEnd(&stream);
    EXPECT_TRUE(unpacked == content);
  }
}

}  // namespace
}  // namespace finality::sandbox
