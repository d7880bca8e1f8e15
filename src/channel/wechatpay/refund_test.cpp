#include "channel/wechatpay/refund.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace finality::wechatpay {
namespace {

// Returns the example of a refund on WeChat's page, with this status.
boost::json::object refund(std::string_view status) {
  boost::json::object body = boost::json::parse(R"({
      "refund_id": "50000000382019052709732678859", "out_refund_no": "1217752501201407033233368018",
      "transaction_id": "1217752501201407033233368020", "out_trade_no": "1217752501201407033233368019",
      "channel": "ORIGINAL", "user_received_account": "招商银行信用卡0403",
      "success_time": "2020-12-01T16:18:12+08:00", "create_time": "2020-12-01T16:18:12+08:00",
      "amount": {"total": 100, "refund": 30, "payer_total": 90, "payer_refund": 27, "currency": "CNY"}})")
                                 .as_object();
  body["status"] = status;
  return body;
}

TEST(WechatpayRefund, EveryStatusHasItsMeaning) {
  using R = RefundEvidenceKind;
  const std::pair<const char*, R> rows[] = {
      {"PROCESSING", R::accepted}, {"SUCCESS", R::refunded}, {"ABNORMAL", R::accepted}, {"CLOSED", R::try_again}};
  for (const auto& [status, kind] : rows) {
    const auto report = read_refund(refund(status), "status");
    ASSERT_TRUE(report) << status << ": " << report.error().message;
    EXPECT_EQ(report->evidence.kind, kind) << status;
    EXPECT_EQ(report->evidence.is_stranded, std::string_view(status) == "ABNORMAL") << status;
    EXPECT_EQ(report->evidence.code, status);
    EXPECT_EQ(report->out_refund_no, "1217752501201407033233368018");
    EXPECT_EQ(report->out_trade_no, "1217752501201407033233368019");
    EXPECT_EQ(report->transaction_id, "1217752501201407033233368020");
    EXPECT_EQ(report->refund, 30);
    EXPECT_EQ(report->total, 100);
  }
  for (const char* status : {"", "success", "CLOSE"}) EXPECT_FALSE(read_refund(refund(status), "status")) << status;
}

TEST(WechatpayRefund, ANotificationHasAnotherNameForTheStatus) {
  EXPECT_FALSE(read_refund(refund("SUCCESS"), "refund_status"));
  boost::json::object body = refund("PROCESSING");
  body["refund_status"] = "SUCCESS";
  EXPECT_EQ(read_refund(body, "refund_status")->evidence.kind, RefundEvidenceKind::refunded);
}

TEST(WechatpayRefund, MissingFieldsAreRejected) {
  for (const char* name : {"out_refund_no", "transaction_id", "out_trade_no", "status", "amount"}) {
    boost::json::object body = refund("SUCCESS");
    body.erase(name);
    EXPECT_FALSE(read_refund(body, "status")) << name;
    body[name] = nullptr;
    EXPECT_FALSE(read_refund(body, "status")) << name;
  }
}

TEST(WechatpayRefund, ARefundAboveTheTotalIsRejected) {
  boost::json::object body = refund("SUCCESS");
  body["amount"].as_object()["refund"] = 101;
  EXPECT_FALSE(read_refund(body, "status"));
  for (const boost::json::value& broken : {boost::json::value(0), boost::json::value(-1), boost::json::value(0.3)}) {
    body["amount"].as_object()["refund"] = broken;
    EXPECT_FALSE(read_refund(body, "status")) << broken;
  }
}

}  // namespace
}  // namespace finality::wechatpay
