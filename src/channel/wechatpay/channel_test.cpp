#include "channel/wechatpay/channel.h"

#include <boost/json/parse.hpp>

#include "channel/testing/channel_contract.h"
#include "channel/testing/statement_contract.h"
#include "channel/wechatpay/testing/test_bills.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::channel_contract {
namespace {

using namespace wechatpay_test;

json::object transaction_of(const ChannelCall& call, std::string_view state) {
  json::object transaction{{"appid", kAppid},
                           {"mchid", kMchid},
                           {"out_trade_no", call.payment.out_trade_no},
                           {"trade_state", state},
                           {"trade_state_desc", "in words"},
                           {"amount", {{"total", call.payment.amount}, {"currency", "CNY"}}}};
  if (state == "SUCCESS" || state == "REFUND") {
    transaction["transaction_id"] = "4200000000202609210000000001";
    transaction["trade_type"] = "NATIVE";
    transaction["success_time"] = "2026-09-21T21:33:10+08:00";
  }
  return transaction;
}

json::object prepaid(const std::string& method) {
  if (method == "native") return {{"code_url", "weixin://wxpay/bizpayurl?pr=p4lpSuKzz"}};
  if (method == "h5") return {{"h5_url", "https://wx.tenpay.com/cgi-bin/checkmweb?prepay_id=wx1&package=2"}};
  return {{"prepay_id", "wx201410272009395522657a690389285100"}};
}

json::object refund_of(const RefundCall& call, std::string_view status) {
  return {{"refund_id", "50000000382019052709732678859"},
          {"out_refund_no", call.out_refund_no},
          {"transaction_id", call.channel_trade_no},
          {"out_trade_no", out_number(MerchantId{7}, 8)},
          {"channel", "ORIGINAL"},
          {"status", status},
          {"amount", {{"total", call.trade_amount}, {"refund", call.amount}, {"currency", "CNY"}}}};
}

std::string paid_event(const ChannelCall& call) {
  const std::string plain = json::serialize(transaction_of(call, "SUCCESS"));
  return json::serialize(envelope("TRANSACTION.SUCCESS", encrypted(plain, "transaction")));
}

struct WechatpaySubject {
  static std::unique_ptr<Channel> make() { return *make_wechatpay_channel(options()); }

  static std::optional<net::HttpResponse> answer(const ChannelCall& call, EvidenceKind kind, Time at) {
    if (call.kind == ChannelCallKind::send_payment) {
      if (kind == EvidenceKind::waiting) return signed_answer(200, prepaid(call.payment.method), at);
      if (kind == EvidenceKind::failed) return refusal(400, "PARAM_ERROR");
      return std::nullopt;
    }
    if (kind == EvidenceKind::not_found) return refusal(404, "ORDER_NOT_EXIST");
    if (call.kind == ChannelCallKind::close_payment)
      return kind == EvidenceKind::closed ? std::optional(signed_answer(204, "", at)) : std::nullopt;
    constexpr std::pair<EvidenceKind, const char*> kStates[] = {{EvidenceKind::waiting, "NOTPAY"},
                                                                {EvidenceKind::paid, "SUCCESS"},
                                                                {EvidenceKind::failed, "PAYERROR"},
                                                                {EvidenceKind::closed, "CLOSED"}};
    for (const auto& [evidence_kind, state] : kStates)
      if (evidence_kind == kind) return signed_answer(200, transaction_of(call, state), at);
    return std::nullopt;
  }

  static net::HttpResponse refunded_answer(const ChannelCall& call, Time at) {
    return signed_answer(200, transaction_of(call, "REFUND"), at);
  }

  static bool names_trade(ChannelCallKind kind) { return kind == ChannelCallKind::query_payment; }
  static net::HttpResponse answer_about(std::string out_trade_no, const ChannelCall& call, Time at) {
    json::object transaction = transaction_of(call, "CLOSED");
    transaction["out_trade_no"] = out_trade_no;
    return signed_answer(200, transaction, at);
  }

  static std::optional<net::HttpResponse> refund_answer(const RefundCall& call, RefundEvidenceKind kind, Time at) {
    const bool sending = call.kind == RefundCallKind::send_refund;
    switch (kind) {
      case RefundEvidenceKind::accepted:
        return signed_answer(200, refund_of(call, "PROCESSING"), at);
      case RefundEvidenceKind::refunded:
        return signed_answer(200, refund_of(call, "SUCCESS"), at);
      case RefundEvidenceKind::not_now:
        return sending ? std::optional(refusal(403, "NOT_ENOUGH")) : std::nullopt;
      case RefundEvidenceKind::try_again:
        return signed_answer(200, refund_of(call, "CLOSED"), at);
      case RefundEvidenceKind::refused:
        return sending ? std::optional(refusal(403, "USER_ACCOUNT_ABNORMAL")) : std::nullopt;
      case RefundEvidenceKind::not_found:
        return sending ? std::nullopt : std::optional(refusal(404, "RESOURCE_NOT_EXISTS"));
      case RefundEvidenceKind::unknown:
        return std::nullopt;
    }
    return std::nullopt;
  }
  static net::HttpResponse refund_answer_about(std::string out_refund_no, const RefundCall& call, Time at) {
    json::object refund = refund_of(call, "SUCCESS");
    refund["out_refund_no"] = out_refund_no;
    return signed_answer(200, refund, at);
  }

  static std::optional<net::HttpResponse> statement_answer(const StatementCall&, Time at) {
    return signed_answer(200,
                         json::object{{"hash_type", "SHA1"},
                                      {"hash_value", "79bb0f45fc4c42234a918000b2668d689e2bde04"},
                                      {"download_url", "https://api.mch.weixin.qq.com/v3/billdownload/file?token=t"}},
                         at);
  }
  static std::optional<net::HttpResponse> empty_day_answer(const StatementCall&, Time) {
    return refusal(400, "NO_STATEMENT_EXIST");
  }
  static std::optional<net::HttpResponse> unready_statement_answer(const StatementCall&, Time) {
    return refusal(400, "STATEMENT_CREATING");
  }
  static std::string statement_file(const StatementCall& call) {
    return call.kind == StatementKind::trades ? trade_bill() : fund_bill();
  }

  static constexpr MinorUnits kRefundedSum = 0;

  static bool is_signed(const net::HttpResponse& response) { return response.status < 400; }
  static void remove_signature(net::HttpResponse& response) {
    response.headers = without(response.headers, "Wechatpay-Signature");
  }
  static void remove_signature(net::HttpRequest& request) {
    request.headers = without(request.headers, "Wechatpay-Signature");
  }

  static net::HttpRequest paid_notification(const ChannelCall& call, Time at) {
    return notification(paid_event(call), at);
  }
  static net::HttpRequest forged_notification(const ChannelCall& call, Time at) {
    return notification(paid_event(call), at, {.key = &other_key()});
  }
  static net::HttpRequest notification_of(std::string content, Time at) { return notification(std::move(content), at); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Wechatpay, ChannelContract, WechatpaySubject);
INSTANTIATE_TYPED_TEST_SUITE_P(Wechatpay, StatementContract, WechatpaySubject);

class WechatpayChannelTest : public testing::Test {
 protected:
  ChannelCall call(ChannelCallKind kind, std::string_view method = "native") const {
    return call_of(kind, *channel_, method);
  }
  Evidence query_evidence(const json::object& transaction) const {
    return read_response(*channel_, call(ChannelCallKind::query_payment), signed_answer(200, transaction, kNow));
  }
  Result<Notification> verify(std::string_view event, const json::object& plain) const {
    const json::object resource = encrypted(json::serialize(plain), "it");
    return channel_->verify(notification(json::serialize(envelope(event, resource)), kNow), kNow);
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(options());
  ChannelCall query_ = call(ChannelCallKind::query_payment);
  RefundCall refund_ = refund_call_of(RefundCallKind::send_refund, *channel_);
};

json::object body_of(const UpstreamRequest& request) { return json::parse(request.http.body).as_object(); }

// Parses the Authorization header and verifies its signature as WeChat does.
void expect_signed(const UpstreamRequest& request) {
  const std::string header(request.http.headers.get("Authorization"));
  ASSERT_TRUE(header.starts_with("WECHATPAY2-SHA256-RSA2048 ")) << header;
  const auto part = [&](const std::string& name) {
    const std::size_t at = header.find(name + "=\"") + name.size() + 2;
    return header.substr(at, header.find('"', at) - at);
  };
  EXPECT_EQ(part("mchid"), kMchid);
  EXPECT_EQ(part("serial_no"), kMerchantSerial);
  EXPECT_EQ(part("timestamp"), "1790000000");
  EXPECT_EQ(part("nonce_str").size(), 32U);
  EXPECT_FALSE(header.contains(", "));
  const std::string text = request.http.method + "\n" + request.http.target + "\n" + part("timestamp") + "\n" +
                           part("nonce_str") + "\n" + request.http.body + "\n";
  EXPECT_TRUE(merchant_key().public_key().verifies(text, *from_base64(part("signature")))) << text;
}

TEST_F(WechatpayChannelTest, EveryRequestIsSignedAndNamesTheResponseKey) {
  std::vector<UpstreamRequest> requests;
  for (const ChannelCall& call : all_calls(*channel_)) requests.push_back(channel_->request_of(call, kNow));
  for (const RefundCall& call : all_refund_calls(*channel_)) requests.push_back(channel_->request_of(call, kNow));
  requests.push_back(*channel_->request_of(kStatement, kNow));
  for (const UpstreamRequest& request : requests) {
    SCOPED_TRACE(request.url);
    expect_signed(request);
    EXPECT_TRUE(request.url.starts_with("https://api.mch.weixin.qq.com/v3/"));
    EXPECT_EQ(request.http.headers.get("Accept"), "application/json");
    EXPECT_FALSE(request.http.headers.get("User-Agent").empty());
    EXPECT_EQ(request.http.headers.get("Wechatpay-Serial"), kPublicKeyId);
    EXPECT_EQ(request.http.headers.get("Content-Type"), request.http.body.empty() ? "" : "application/json");
  }
}

TEST_F(WechatpayChannelTest, TheFullPathOfTheRequestLineIsSigned) {
  WechatpayOptions below = options();
  below.url = "http://127.0.0.1:8090/gateways/wechatpay";
  const auto channel = *make_wechatpay_channel(below);
  const UpstreamRequest request = channel->request_of(query_, kNow);
  EXPECT_EQ(request.http.target,
            "/gateways/wechatpay/v3/pay/transactions/out-trade-no/" + query_.payment.out_trade_no + "?mchid=" + kMchid);
  expect_signed(request);
}

TEST_F(WechatpayChannelTest, ANonceDependsOnRequestAndTime) {
  const auto header = [&](const ChannelCall& call, Time at) {
    return std::string(channel_->request_of(call, at).http.headers.get("Authorization"));
  };
  const auto nonce = [](const std::string& text) { return text.substr(text.find("nonce_str"), 45); };
  EXPECT_EQ(header(query_, kNow), header(query_, kNow));
  EXPECT_NE(nonce(header(query_, kNow)), nonce(header(query_, kNow + Duration{1})));
  EXPECT_NE(nonce(header(query_, kNow)), nonce(header(call(ChannelCallKind::close_payment), kNow)));
}

TEST_F(WechatpayChannelTest, SendsATradeOfEachMethod) {
  for (const char* method : {"native", "jsapi", "app", "h5"}) {
    const UpstreamRequest request = channel_->request_of(call(ChannelCallKind::send_payment, method), kNow);
    EXPECT_EQ(request.http.method, "POST");
    EXPECT_EQ(request.http.target, "/v3/pay/transactions/" + std::string(method));
    json::object expected{{"appid", kAppid},
                          {"mchid", kMchid},
                          {"description", "Tea"},
                          {"out_trade_no", query_.payment.out_trade_no},
                          {"time_expire", "2026-09-21T23:13:20+08:00"},
                          {"notify_url", "https://pay.example/notify/wechatpay"},
                          {"amount", {{"total", 1000}, {"currency", "CNY"}}}};
    if (std::string_view(method) == "jsapi") expected["payer"] = {{"openid", "o-1"}};
    if (std::string_view(method) == "h5")
      expected["scene_info"] = {{"payer_client_ip", "203.0.113.7"}, {"h5_info", {{"type", "Wap"}}}};
    EXPECT_EQ(body_of(request), expected) << method;
  }
}

TEST_F(WechatpayChannelTest, ATradeEndsWithItsOrderOrWithinTheSecondAfter) {
  const std::pair<std::int64_t, const char*> rows[] = {{0, "2026-09-21T23:13:20+08:00"},
                                                       {1, "2026-09-21T23:13:21+08:00"},
                                                       {999, "2026-09-21T23:13:21+08:00"},
                                                       {1000, "2026-09-21T23:13:21+08:00"}};
  for (const auto& [ms, expected] : rows) {
    ChannelCall send = call(ChannelCallKind::send_payment);
    send.order.expires_at = send.order.expires_at + Duration{ms};
    EXPECT_EQ(body_of(channel_->request_of(send, kNow))["time_expire"], json::value(expected)) << ms;
  }
}

TEST_F(WechatpayChannelTest, TradeNumbersAreValidForWechat) {
  const auto fits = [](const std::string& number) {
    return number.size() >= 6 && number.size() <= 32 &&
           number.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-|*") ==
               std::string::npos;
  };
  EXPECT_TRUE(fits(out_number(MerchantId{1}, 0)));
  EXPECT_TRUE(fits(out_number(MerchantId{INT64_MAX}, INT64_MAX)));
}

TEST_F(WechatpayChannelTest, ALongSubjectIsTruncatedBetweenCharacters) {
  const auto described = [&](const std::string& subject) {
    ChannelCall send = call(ChannelCallKind::send_payment);
    send.order.subject = subject;
    return std::string(body_of(channel_->request_of(send, kNow))["description"].as_string());
  };
  std::string tea;
  for (int i = 0; i < 42; ++i) tea += "茶";  // 126 bytes; the limit of 127 bytes is within the next character
  EXPECT_EQ(described(tea), tea);
  EXPECT_EQ(described(tea + "杯"), tea);
  EXPECT_EQ(described(tea + "a"), tea + "a");
  EXPECT_EQ(described(std::string(200, 'a')), std::string(127, 'a'));
}

TEST_F(WechatpayChannelTest, AnOpenidThatWechatRefusesIsRefusedAtTheApi) {
  const auto rule = [&](const char* method, const std::string& openid) {
    return std::string(channel_->capabilities().payer_rule(method, openid));
  };
  EXPECT_EQ(rule("jsapi", "oUpF8uMuAJO_M2pxb1Q9zNjWeS6-"), "");
  EXPECT_EQ(rule("jsapi", std::string(128, 'o')), "");
  EXPECT_EQ(rule("jsapi", std::string(129, 'o')), "must have at most 128 bytes, letters, digits and _- only");
  EXPECT_NE(rule("jsapi", "o 1"), "");
  EXPECT_NE(rule("jsapi", "茶"), "");
  EXPECT_EQ(rule("h5", "203.0.113.7"), "");
}

TEST_F(WechatpayChannelTest, APublicUrlThatWechatRefusesIsRefusedAtTheStart) {
  const auto started_with = [](std::size_t length) {
    WechatpayOptions long_url = options();
    long_url.public_url = "https://pay.example/" + std::string(length, 'p');
    return make_wechatpay_channel(long_url);
  };
  const std::size_t rest = std::string("https://pay.example//notify/").size() + options().name.size();
  EXPECT_TRUE(started_with(255 - rest));
  const auto refused = started_with(256 - rest);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("public_url is too long")) << refused.error().message;
  EXPECT_TRUE(refused.error().message.contains("at most 255 bytes")) << refused.error().message;
}

TEST_F(WechatpayChannelTest, AScenarioIsSentOnlyToTheSandbox) {
  ChannelCall send = call(ChannelCallKind::send_payment);
  send.payment.scenario = "pays";
  EXPECT_EQ(body_of(channel_->request_of(send, kNow))["attach"], json::value("scenario=pays"));
  EXPECT_TRUE(channel_->capabilities().takes_scenario);
  WechatpayOptions real = options();
  real.is_sandbox = false;
  const auto channel = *make_wechatpay_channel(real);
  EXPECT_FALSE(body_of(channel->request_of(send, kNow)).contains("attach"));
  EXPECT_FALSE(channel->capabilities().takes_scenario);
}

TEST_F(WechatpayChannelTest, QueriesAndClosesByOutTradeNo) {
  const std::string trade = "/v3/pay/transactions/out-trade-no/" + query_.payment.out_trade_no;
  const UpstreamRequest query = channel_->request_of(query_, kNow);
  EXPECT_EQ(query.http.method, "GET");
  EXPECT_EQ(query.http.target, trade + "?mchid=" + kMchid);
  EXPECT_TRUE(query.http.body.empty());
  const UpstreamRequest close = channel_->request_of(call(ChannelCallKind::close_payment), kNow);
  EXPECT_EQ(close.http.method, "POST");
  EXPECT_EQ(close.http.target, trade + "/close");
  EXPECT_EQ(body_of(close), (json::object{{"mchid", kMchid}}));
}

TEST_F(WechatpayChannelTest, ARefundNamesTheTradeByItsTransactionId) {
  const UpstreamRequest send = channel_->request_of(refund_, kNow);
  EXPECT_EQ(send.http.target, "/v3/refund/domestic/refunds");
  EXPECT_EQ(body_of(send), (json::object{{"transaction_id", refund_.channel_trade_no},
                                         {"out_refund_no", refund_.out_refund_no},
                                         {"notify_url", "https://pay.example/notify/wechatpay"},
                                         {"amount", {{"refund", 300}, {"total", 1000}, {"currency", "CNY"}}}}));
  const UpstreamRequest query = channel_->request_of(refund_call_of(RefundCallKind::query_refund, *channel_), kNow);
  EXPECT_EQ(query.http.method, "GET");
  EXPECT_EQ(query.http.target, "/v3/refund/domestic/refunds/" + refund_.out_refund_no);
}

TEST_F(WechatpayChannelTest, AnAnswerWithoutThePayersActionIsUnknown) {
  for (const char* method : {"native", "jsapi", "app", "h5"}) {
    const ChannelCall send = call(ChannelCallKind::send_payment, method);
    const std::string name(json::object(prepaid(method)).begin()->key());
    for (const json::value& broken : {json::value(nullptr), json::value(1), json::value(""), json::value("a b"),
                                      json::value("a\nb"), json::value(std::string(3000, 'a'))})
      EXPECT_EQ(read_response(*channel_, send, signed_answer(200, json::object{{name, broken}}, kNow)).code,
                "malformed")
          << method;
    EXPECT_EQ(read_response(*channel_, send, signed_answer(200, json::object{}, kNow)).code, "malformed") << method;
    EXPECT_EQ(read_response(*channel_, send, signed_answer(204, "", kNow)).code, "http_204") << method;
  }
  const json::object script{{"h5_url", "javascript:alert(1)"}};
  EXPECT_EQ(read_response(*channel_, call(ChannelCallKind::send_payment, "h5"), signed_answer(200, script, kNow)).code,
            "malformed");
}

TEST_F(WechatpayChannelTest, OnlyA204ClosesAndOnlyA200IsATrade) {
  const ChannelCall close = call(ChannelCallKind::close_payment);
  EXPECT_EQ(read_response(*channel_, close, signed_answer(204, "", kNow)).kind, EvidenceKind::closed);
  EXPECT_EQ(read_response(*channel_, close, signed_answer(200, json::object{}, kNow)).code, "http_200");
  EXPECT_EQ(read_response(*channel_, close, signed_answer(204, "x", kNow)).code, "malformed");
  EXPECT_EQ(read_response(*channel_, query_, signed_answer(202, transaction_of(query_, "SUCCESS"), kNow)).code,
            "http_202");
  EXPECT_EQ(read_response(*channel_, query_, {.status = 302}).code, "http_302");
}

TEST_F(WechatpayChannelTest, AnUnknownAnswerHasItsReason) {
  const ChannelCall send = call(ChannelCallKind::send_payment);
  EXPECT_EQ(read_response(*channel_, send, {.status = 502, .body = "<html>"}).code, "http_502");
  EXPECT_EQ(read_response(*channel_, send, {.status = 200, .body = "{}"}).code, "bad_signature");
  EXPECT_EQ(read_response(*channel_, send, {.status = 404}).code, "http_404");
  EXPECT_EQ(read_response(*channel_, send, {.status = 400, .body = "<html>"}).code, "http_400");
  EXPECT_EQ(read_response(*channel_, send, refusal(401, "SIGN_ERROR", "签名错误")).message, "签名错误");
  EXPECT_EQ(read_response(*channel_, send, signed_answer(200, "[]", kNow)).code, "malformed");
}

TEST_F(WechatpayChannelTest, ASignatureOfARefusalMustBeValid) {
  net::HttpResponse refused = refusal(404, "ORDER_NOT_EXIST");
  EXPECT_EQ(read_response(*channel_, query_, refused).kind, EvidenceKind::not_found);
  net::HttpResponse signed_rightly = refused;
  sign(signed_rightly.headers, refused.body, kNow);
  EXPECT_EQ(read_response(*channel_, query_, signed_rightly).kind, EvidenceKind::not_found);
  net::HttpResponse signed_wrongly = refused;
  sign(signed_wrongly.headers, refused.body, kNow, {.key = &other_key()});
  EXPECT_EQ(read_response(*channel_, query_, signed_wrongly).code, "bad_signature");
}

TEST_F(WechatpayChannelTest, ARefusalOfARepeatedSendDoesNotEndAPendingPayment) {
  ChannelCall send = call(ChannelCallKind::send_payment);
  EXPECT_EQ(read_response(*channel_, send, refusal(400, "PARAM_ERROR")).kind, EvidenceKind::failed);
  send.payment.state = PaymentState::pending;
  EXPECT_EQ(read_response(*channel_, send, refusal(400, "PARAM_ERROR")).kind, EvidenceKind::unknown);
}

TEST_F(WechatpayChannelTest, ATradeOfAnotherMerchantIsRejected) {
  ASSERT_EQ(query_evidence(transaction_of(query_, "SUCCESS")).kind, EvidenceKind::paid);
  for (const char* name : {"appid", "mchid"}) {
    json::object transaction = transaction_of(query_, "SUCCESS");
    transaction[name] = "wx9999999999999999";
    EXPECT_EQ(query_evidence(transaction).code, "malformed") << name;
    EXPECT_FALSE(verify("TRANSACTION.SUCCESS", transaction)) << name;
  }
}

TEST_F(WechatpayChannelTest, ARefundOfAnotherSumOrTradeIsUnknown) {
  const auto refund_evidence = [&](const json::object& refund) {
    return read_response(*channel_, refund_, signed_answer(200, refund, kNow));
  };
  ASSERT_EQ(refund_evidence(refund_of(refund_, "SUCCESS")).kind, RefundEvidenceKind::refunded);
  RefundCall other = refund_;
  other.amount = 301;
  EXPECT_EQ(refund_evidence(refund_of(other, "SUCCESS")).code, "wrong_refund");
  other = refund_;
  other.trade_amount = 999;
  EXPECT_EQ(refund_evidence(refund_of(other, "SUCCESS")).code, "wrong_refund");
  other = refund_;
  other.channel_trade_no = "4200000000202609210000000002";
  EXPECT_EQ(refund_evidence(refund_of(other, "SUCCESS")).code, "wrong_refund");
  json::object dollars = refund_of(refund_, "SUCCESS");
  dollars["amount"].as_object()["currency"] = "USD";
  EXPECT_EQ(refund_evidence(dollars).code, "wrong_refund");
}

TEST_F(WechatpayChannelTest, AnAbnormalRefundIsNeitherFinalNorRetried) {
  const auto evidence = read_response(*channel_, refund_, signed_answer(200, refund_of(refund_, "ABNORMAL"), kNow));
  EXPECT_EQ(evidence.kind, RefundEvidenceKind::accepted);
  EXPECT_TRUE(evidence.is_stranded);
  EXPECT_EQ(evidence.code, "ABNORMAL");
  EXPECT_FALSE(evidence.message.empty());
}

TEST_F(WechatpayChannelTest, AcknowledgesAsTheProtocolRequires) {
  EXPECT_EQ(channel_->acknowledgement().status, 204);
  EXPECT_EQ(channel_->acknowledgement().body, "");
  const net::HttpResponse no = channel_->negative_acknowledgement(401);
  EXPECT_EQ(no.status, 401);
  EXPECT_EQ(json::parse(no.body).at("code"), json::value("FAIL"));
  EXPECT_EQ(no.headers.get("content-type"), "application/json");
}

// Two channels for two accounts of WeChat Pay have different notify_urls.
TEST(WechatpayAccounts, AreNotifiedUnderTheirNames) {
  WechatpayOptions second = options();
  second.name = "wechatpay_app";
  second.public_url = "https://pay.example";
  const auto channel = *make_wechatpay_channel(second);
  EXPECT_EQ(channel->name(), "wechatpay_app");
  const UpstreamRequest payment =
      channel->request_of(channel_contract::call_of(ChannelCallKind::send_payment, *channel), kNow);
  const UpstreamRequest refund =
      channel->request_of(channel_contract::refund_call_of(RefundCallKind::send_refund, *channel), kNow);
  for (const UpstreamRequest& request : {payment, refund})
    EXPECT_TRUE(request.http.body.contains(R"("notify_url":"https://pay.example/notify/wechatpay_app")"))
        << request.http.body;
}

TEST(WechatpayOptions, InvalidOptionsAreRejected) {
  const auto refused = [](auto change) {
    WechatpayOptions changed = options();
    changed.is_sandbox = false;
    change(changed);
    return !make_wechatpay_channel(changed).has_value();
  };
  EXPECT_FALSE(refused([](WechatpayOptions&) {}));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.appid = ""; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.mchid = "1\"2"; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.url = "https://a/?b"; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.url = "http://api.mch.weixin.qq.com"; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.public_url = "http://pay.example"; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.public_url = "https://pay.example/?a=b"; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.keys.api_v3_key = Secret("0123456789abcdef"); }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.keys.merchant_serial = "no hex"; }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.keys.public_keys.clear(); }));
  EXPECT_TRUE(refused([](WechatpayOptions& options) { options.keys.public_keys.front().id = "5F1C72E2"; }));
  EXPECT_FALSE(refused([](WechatpayOptions& options) {
    options.keys.public_keys.clear();
    options.fetches_certificates = true;
  }));
}

TEST(WechatpayOptions, ErrorsNameTheSetting) {
  const auto error_of = [](auto change) {
    WechatpayOptions changed = options();
    changed.is_sandbox = false;
    change(changed);
    const auto made = make_wechatpay_channel(changed);
    return made ? "" : made.error().message;
  };
  EXPECT_EQ(
      error_of([](WechatpayOptions& options) { options.public_url = "http://pay.example"; }),
      "public_url must begin with https://: WeChat Pay sends notifications only to https; for the sandbox set sandbox "
      "= true");
  EXPECT_TRUE(
      error_of([](WechatpayOptions& options) { options.url = "http://a.example"; }).starts_with("url must begin"));
  for (const char* broken : {"", "abc", "19000 1", "1900-1"})
    EXPECT_EQ(error_of([&](WechatpayOptions& options) { options.mchid = broken; }),
              "mchid must be 1 to 32 digits, like 1900000001");
  EXPECT_TRUE(error_of([](WechatpayOptions& options) { options.appid = "abc def"; }).starts_with("appid must be"));
  const std::string unverified = error_of([](WechatpayOptions& options) { options.keys.public_keys.clear(); });
  for (const char* setting : {"public_keys", "platform_certificates_file", "fetch_certificates"})
    EXPECT_TRUE(unverified.contains(setting)) << unverified;
  EXPECT_EQ(error_of([](WechatpayOptions& options) { options.keys.api_v3_key = Secret("0123456789abcdef"); }),
            "api_v3_key: the APIv3 key must have exactly 32 bytes, not 16");
}

TEST_F(WechatpayChannelTest, ConfigHintsNameTheSettingsToCheck) {
  for (const auto& [code, setting] : {std::pair("SIGN_ERROR", "certificate_file"),
                                      {"SIGNERROR", "mchid"},
                                      {"bad_signature", "platform_certificates_file"},
                                      {"APPID_MCHID_NOT_MATCH", "appid"},
                                      {"MCH_NOT_EXISTS", "mchid"},
                                      {"http_404", "url"}})
    EXPECT_TRUE(channel_->config_hint(code).contains(setting)) << code;
  for (const char* code : {"", "NOTPAY", "timeout", "http_500", "SYSTEM_ERROR", "ORDER_NOT_EXIST", "PARAM_ERROR"})
    EXPECT_EQ(channel_->config_hint(code), "") << code;
}

TEST_F(WechatpayChannelTest, ARefusalNamesTheInvalidField) {
  const auto message = [&](const json::object& refused) {
    const net::HttpResponse response{.status = 400, .body = json::serialize(refused)};
    return read_response(*channel_, call(ChannelCallKind::send_payment), response).message;
  };
  const json::object detail{{"field", "/amount/currency"}, {"value", "USD"}, {"issue", "not CNY"}};
  EXPECT_EQ(message({{"code", "PARAM_ERROR"}, {"message", "why"}, {"detail", detail}}),
            "why (/amount/currency: not CNY)");
  EXPECT_EQ(message({{"code", "PARAM_ERROR"}, {"message", "why"}, {"detail", {{"issue", "no sign"}}}}),
            "why (no sign)");
  EXPECT_EQ(message({{"code", "PARAM_ERROR"}, {"message", "why"}, {"detail", {{"value", "x"}}}}), "why");
  EXPECT_EQ(message({{"code", "PARAM_ERROR"}, {"message", "why"}}), "why");
}

TEST_F(WechatpayChannelTest, ARefundHasItsReason) {
  const auto reason = [&](std::string text) {
    refund_.reason = std::move(text);
    return json::value(body_of(channel_->request_of(refund_, kNow))["reason"]);
  };
  EXPECT_EQ(reason("破损"), "破损");
  EXPECT_EQ(reason(""), nullptr);
  EXPECT_EQ(reason(std::string(80, 'a')), json::value(std::string(80, 'a')));
  EXPECT_EQ(reason(std::string(81, 'a')), json::value(std::string(80, 'a')));
  std::string tea;
  for (int i = 0; i < 27; ++i) tea += "茶";  // 81 bytes
  EXPECT_EQ(reason(tea), json::value(tea.substr(0, 78))) << "truncated between characters";
}

TEST_F(WechatpayChannelTest, RefundsOfOneTradeAreAMinuteApart) {
  EXPECT_EQ(channel_->capabilities().refund_pause, std::chrono::minutes(1));
}

TEST_F(WechatpayChannelTest, AcceptsYuanOnly) { EXPECT_EQ(channel_->capabilities().currency, parse_currency("CNY")); }

TEST(WechatpayKeys, AreReadFromTexts) {
  const WechatpayKeyTexts good{
      .merchant_serial = kMerchantSerial,
      .private_key = merchant_key().to_pem(),
      .api_v3_key = kApiV3Key,
      .public_keys = {{kPublicKeyId, platform_key().public_key().to_pem()}},
      .platform_certificates = certificate_pem(other_key(), "5F1C72E2", kNow, kNow + std::chrono::hours(1))};
  const auto keys = read_wechatpay_keys(good);
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->public_keys.at(0).id, kPublicKeyId);
  EXPECT_EQ(keys->platform_certificates.at(0).serial_hex(), "5F1C72E2");
  const auto error_of = [&](auto change) {
    WechatpayKeyTexts texts = good;
    change(texts);
    const auto read = read_wechatpay_keys(texts);
    return read ? "" : read.error().message;
  };
  EXPECT_TRUE(error_of([](auto& texts) { texts.private_key = Secret("x"); }).starts_with("private_key: "));
  EXPECT_TRUE(error_of([](auto& texts) { texts.public_keys["PUB_KEY_ID_2"] = "x"; }).contains("PUB_KEY_ID_2"));
  EXPECT_TRUE(error_of([](auto& texts) { texts.platform_certificates = "x"; }).starts_with("platform_certificates: "));
}

}  // namespace
}  // namespace finality::channel_contract
