#include "channel/wechatpay/trade.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace finality::wechatpay {
namespace {

const Account kAccount{"wx0f1a0c0de0000001", "1900000001"};

// Returns the example of a paid trade on WeChat's page, with this state.
boost::json::object transaction(std::string_view state) {
  boost::json::object body = boost::json::parse(R"({
      "appid": "wx0f1a0c0de0000001", "mchid": "1900000001", "out_trade_no": "1217752501201407033233368018",
      "transaction_id": "1217752501201407033233368018", "trade_type": "MICROPAY", "trade_state_desc": "in words",
      "bank_type": "CMC", "attach": "", "success_time": "2018-06-08T10:34:56+08:00",
      "payer": {"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"},
      "amount": {"total": 100, "payer_total": 90, "currency": "CNY", "payer_currency": "CNY"}})")
                                 .as_object();
  body["trade_state"] = state;
  return body;
}

TEST(WechatpayTrade, EveryStateHasItsMeaning) {
  using enum EvidenceKind;
  const std::pair<const char*, EvidenceKind> rows[] = {{"SUCCESS", paid},   {"REFUND", paid},
                                                       {"NOTPAY", waiting}, {"USERPAYING", waiting},
                                                       {"ACCEPT", waiting}, {"PAYERROR", failed}};
  for (const auto& [state, kind] : rows) {
    const auto trade = read_trade(transaction(state), kAccount);
    ASSERT_TRUE(trade) << state << ": " << trade.error().message;
    EXPECT_EQ(trade->evidence.kind, kind) << state;
    EXPECT_EQ(trade->evidence.is_refund_unknown, std::string_view(state) == "REFUND");
    EXPECT_EQ(trade->evidence.code, state);
    EXPECT_EQ(trade->evidence.message, "in words");
    EXPECT_EQ(trade->out_trade_no, "1217752501201407033233368018");
  }
  for (const char* state : {"", "success", "PAID", "SUCCESS "}) EXPECT_FALSE(read_trade(transaction(state), kAccount));
}

TEST(WechatpayTrade, AClosedTradeWithATransactionIdIsRejected) {
  for (const char* state : {"CLOSED", "REVOKED"}) {
    boost::json::object body = transaction(state);
    EXPECT_FALSE(read_trade(body, kAccount)) << state;
    body.erase("transaction_id");
    EXPECT_EQ(read_trade(body, kAccount)->evidence.kind, EvidenceKind::closed) << state;
  }
}

TEST(WechatpayTrade, TheAmountIsTheTotalNotThePayersShare) {
  const auto trade = read_trade(transaction("SUCCESS"), kAccount);
  EXPECT_EQ(trade->evidence.amount, 100);
  EXPECT_EQ(trade->evidence.currency.text(), "CNY");
  EXPECT_EQ(trade->evidence.channel_trade_no, "1217752501201407033233368018");
  EXPECT_EQ(to_rfc3339(trade->evidence.paid_at), "2018-06-08T02:34:56.000Z");
  EXPECT_EQ(trade->evidence.refunded, 0);
}

TEST(WechatpayTrade, ARefundedTradeHasNoRefundAmountAndMayHaveNoTime) {
  boost::json::object body = transaction("REFUND");
  const auto whole = read_trade(body, kAccount);
  EXPECT_EQ(whole->evidence.amount, 100);
  EXPECT_EQ(whole->evidence.refunded, 0);
  EXPECT_GT(whole->evidence.paid_at.ms, 0);
  body.erase("success_time");
  EXPECT_EQ(read_trade(body, kAccount)->evidence.paid_at.ms, 0);
  body["success_time"] = "yesterday";
  EXPECT_FALSE(read_trade(body, kAccount));
}

TEST(WechatpayTrade, AMissingCurrencyIsCny) {
  boost::json::object body = transaction("SUCCESS");
  body["amount"].as_object().erase("currency");
  EXPECT_EQ(read_trade(body, kAccount)->evidence.currency.text(), "CNY");
  for (const boost::json::value& broken :
       {boost::json::value(nullptr), boost::json::value("cny"), boost::json::value(1)}) {
    body["amount"].as_object()["currency"] = broken;
    EXPECT_FALSE(read_trade(body, kAccount)) << broken;
  }
}

TEST(WechatpayTrade, APaidTradeNeedsAllFields) {
  for (const char* name :
       {"appid", "mchid", "out_trade_no", "trade_state", "transaction_id", "success_time", "amount"}) {
    boost::json::object body = transaction("SUCCESS");
    body.erase(name);
    EXPECT_FALSE(read_trade(body, kAccount)) << name;
    for (const boost::json::value& broken :
         {boost::json::value(nullptr), boost::json::value(-1), boost::json::value(std::string(100, 'A'))}) {
      body[name] = broken;
      EXPECT_FALSE(read_trade(body, kAccount)) << name << ' ' << broken;
    }
  }
}

TEST(WechatpayTrade, AnAmountIsAnIntegerOfFenWithinTheLimits) {
  boost::json::object body = transaction("SUCCESS");
  for (const boost::json::value& broken :
       {boost::json::value(0), boost::json::value(-1), boost::json::value(1.0), boost::json::value("100"),
        boost::json::value(1'000'000'000'000'001), boost::json::value(nullptr)}) {
    body["amount"].as_object()["total"] = broken;
    EXPECT_FALSE(read_trade(body, kAccount)) << broken;
  }
}

}  // namespace
}  // namespace finality::wechatpay
