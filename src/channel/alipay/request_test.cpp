// Tests of the requests that the adapter sends, and of the request lines that the payer's browser or app sends.
#include "channel/alipay/request.h"

#include "channel/alipay/testing/test_channel.h"

namespace finality::channel_contract {
namespace {

using AlipayRequestTest = AlipayChannelTest;

TEST_F(AlipayRequestTest, CommonParametersAreInTheQueryAndContentIsInTheBody) {
  const UpstreamRequest request = channel_->request_of(query_, kNow);
  EXPECT_EQ(request.http.method, "POST");
  EXPECT_TRUE(request.url.starts_with("https://gateway.example/gateway.do?"));
  EXPECT_EQ(request.http.path(), "/gateway.do");
  EXPECT_EQ(request.http.headers.get("content-type"), "application/x-www-form-urlencoded;charset=utf-8");
  EXPECT_TRUE(request.http.body.starts_with("biz_content="));
  EXPECT_FALSE(request.http.query().contains("biz_content"));
  Form form = received(request);
  form.erase("sign");
  const Form expected{{"app_id", kAppId},    {"method", "alipay.trade.query"},
                      {"format", "JSON"},    {"charset", "utf-8"},
                      {"sign_type", "RSA2"}, {"timestamp", "2026-09-21 22:13:20"},
                      {"version", "1.0"},    {"biz_content", R"({"out_trade_no":"00000000000070000000000008"})"}};
  EXPECT_EQ(form, expected);
}

TEST_F(AlipayRequestTest, InCertificateModeBothCertificatesAreNamed) {
  const auto channel = *make_alipay_channel(options_for(Mode::certificates));
  const Form form = received(channel->request_of(query_, kNow));
  EXPECT_EQ(form.at("app_cert_sn"), "866efef280dec9137a87d047ac446315");
  EXPECT_EQ(form.at("alipay_root_cert_sn"), keys_for(Mode::certificates).root_cert_sn);
}

TEST_F(AlipayRequestTest, QrCallsPrecreate) {
  const Form form = received(channel_->request_of(send_by("qr"), kNow));
  EXPECT_EQ(form.at("method"), "alipay.trade.precreate");
  EXPECT_EQ(form.at("notify_url"), "https://pay.example/notify/alipay");
  EXPECT_FALSE(form.contains("return_url"));
  const json::object expected{{"out_trade_no", query_.payment.out_trade_no},
                              {"total_amount", "10.00"},
                              {"subject", "Tea"},
                              {"product_code", "QR_CODE_OFFLINE"},
                              {"time_expire", "2026-09-21 23:13:20"}};
  EXPECT_EQ(content_of(form), expected);
}

TEST_F(AlipayRequestTest, BarcodeCallsPay) {
  const Form form = received(channel_->request_of(send_by("barcode"), kNow));
  EXPECT_EQ(form.at("method"), "alipay.trade.pay");
  const json::object content = content_of(form);
  EXPECT_EQ(content.at("product_code"), "FACE_TO_FACE_PAYMENT");
  EXPECT_EQ(content.at("scene"), "bar_code");
  EXPECT_EQ(content.at("auth_code"), "287634438256643940");
}

TEST_F(AlipayRequestTest, PagesAreSignedForThePayersBrowser) {
  const std::pair<const char*, const char*> methods[] = {{"page", "alipay.trade.page.pay"},
                                                         {"wap", "alipay.trade.wap.pay"}};
  for (const auto& [method, call] : methods) {
    const auto prepared = channel_->answer_without_asking(send_by(method), kNow);
    ASSERT_TRUE(prepared);
    EXPECT_EQ(prepared->action_type, ActionType::redirect);
    const std::string prefix = "https://gateway.example/gateway.do?";
    ASSERT_TRUE(prepared->action_url.starts_with(prefix));
    const Form form = received({.http = {.target = "/?" + prepared->action_url.substr(prefix.size())}});
    EXPECT_EQ(form.at("method"), call);
    EXPECT_EQ(form.at("return_url"), "https://pay.example/return/t");
    EXPECT_EQ(form.at("notify_url"), "https://pay.example/notify/alipay");
    const json::object content = content_of(form);
    EXPECT_EQ(content.at("out_trade_no"), query_.payment.out_trade_no.c_str());
    EXPECT_EQ(content.contains("quit_url"), std::string(method) == "wap");
  }
}

TEST_F(AlipayRequestTest, WapQuitUrlIsThePublicUrlWithoutAReturnUrl) {
  ChannelCall send = send_by("wap");
  send.return_url.clear();
  const std::string url = channel_->answer_without_asking(send, kNow)->action_url;
  EXPECT_TRUE(url.contains(percent_encode(R"("quit_url":"https://pay.example")"))) << url;
  EXPECT_FALSE(url.contains("return_url="));
}

TEST_F(AlipayRequestTest, AnAppGetsAnOrderString) {
  const auto prepared = channel_->answer_without_asking(send_by("app"), kNow);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->action_type, ActionType::form);
  EXPECT_TRUE(prepared->action_url.empty());
  const Form form = received({.http = {.target = "/?" + prepared->action_code}});
  EXPECT_EQ(form.at("method"), "alipay.trade.app.pay");
  EXPECT_EQ(content_of(form).at("product_code"), "QUICK_MSECURITY_PAY");
}

TEST_F(AlipayRequestTest, UnsupportedPaymentsFailWithoutARequest) {
  struct Case {
    const char* method;
    MinorUnits amount;
    const char* currency;
    const char* payer;
  };
  const Case cases[] = {{"qr", 1000, "USD", ""},
                        {"page", 0, "CNY", ""},
                        {"page", 10'000'000'001, "CNY", ""},
                        {"barcode", 1000, "CNY", ""},
                        {"barcode", 1000, "CNY", R"({"openid":"o-1"})"},
                        {"barcode", 1000, "CNY", R"({"auth_code":"135112298638468293"})"},
                        {"cash", 1000, "CNY", ""}};
  for (const Case& row : cases) {
    ChannelCall send = send_by(row.method);
    send.payment.amount = row.amount;
    send.payment.currency = *parse_currency(row.currency);
    send.payment.payer = row.payer;
    const auto prepared = channel_->answer_without_asking(send, kNow);
    ASSERT_TRUE(prepared) << row.method;
    EXPECT_EQ(prepared->kind, EvidenceKind::failed);
    EXPECT_EQ(prepared->code, "not_possible");
    EXPECT_FALSE(prepared->message.empty());
  }
  ChannelCall most = send_by("qr");
  most.payment.amount = 10'000'000'000;
  EXPECT_FALSE(channel_->answer_without_asking(most, kNow));
}

TEST_F(AlipayRequestTest, ASubjectIsCleanedAndTruncated) {
  const auto subject_of = [&](std::string subject) {
    ChannelCall send = send_by("qr");
    send.order.subject = std::move(subject);
    return text_of(content_of(received(channel_->request_of(send, kNow))).at("subject"));
  };
  EXPECT_EQ(subject_of("a/b=c&d"), "a-b-c-d");
  EXPECT_EQ(subject_of("\"茶\" 100%+"), "\"茶\" 100%+");
  std::string tea;
  for (int i = 0; i < 300; ++i) tea += "茶";
  EXPECT_EQ(subject_of(tea), tea.substr(0, 85 * 3)) << "256 bytes";
}

TEST_F(AlipayRequestTest, ATradeIsOpenAsLongAsItsOrder) {
  ChannelCall send = send_by("qr");
  send.order.expires_at = kNow + std::chrono::hours(1) + Duration(1);
  EXPECT_EQ(content_of(received(channel_->request_of(send, kNow))).at("time_expire"), "2026-09-21 23:13:21");
}

TEST_F(AlipayRequestTest, ATradeIsOpenForFifteenDaysAtMostWheneverItIsSent) {
  ChannelCall send = send_by("qr");
  send.order.expires_at = kNow + std::chrono::days(30);
  for (const Time now : {kNow, kNow + std::chrono::days(1)})
    EXPECT_EQ(content_of(received(channel_->request_of(send, now))).at("time_expire"), "2026-10-06 22:13:20");
}

TEST_F(AlipayRequestTest, AScenarioIsInPassbackParams) {
  ChannelCall send = send_by("qr");
  send.payment.scenario = "pays_late";
  EXPECT_EQ(content_of(received(channel_->request_of(send, kNow))).at("passback_params"), "scenario%3Dpays_late");
}

TEST_F(AlipayRequestTest, ARefundNamesTheTradeByItsTradeNo) {
  const RefundCall refund = refund_call_of(RefundCallKind::send_refund, *channel_);
  const Form sent = received(channel_->request_of(refund, kNow));
  EXPECT_EQ(sent.at("method"), "alipay.trade.refund");
  EXPECT_EQ(
      content_of(sent),
      (json::object{{"trade_no", kTradeNo}, {"out_request_no", refund.out_refund_no}, {"refund_amount", "3.00"}}));
  const Form form = received(channel_->request_of(refund_call_of(RefundCallKind::query_refund, *channel_), kNow));
  EXPECT_EQ(form.at("method"), "alipay.trade.fastpay.refund.query");
  EXPECT_EQ(content_of(form), (json::object{{"trade_no", kTradeNo}, {"out_request_no", refund.out_refund_no}}));
}

TEST_F(AlipayRequestTest, ARefundHasItsReason) {
  const auto sent = [&](RefundCallKind kind, std::string reason) {
    RefundCall call = refund_call_of(kind, *channel_);
    call.reason = std::move(reason);
    return content_of(received(channel_->request_of(call, kNow)));
  };
  EXPECT_EQ(sent(RefundCallKind::send_refund, "破损").at("refund_reason"), "破损");
  EXPECT_FALSE(sent(RefundCallKind::send_refund, "").contains("refund_reason"));
  EXPECT_FALSE(sent(RefundCallKind::query_refund, "破损").contains("refund_reason"));
  std::string tea;
  for (int i = 0; i < 257; ++i) tea += "茶";
  EXPECT_EQ(sent(RefundCallKind::send_refund, tea).at("refund_reason"), json::value(tea.substr(0, 255)))
      << "85 characters of 3 bytes: at most 256 bytes";
}

}  // namespace
}  // namespace finality::channel_contract
