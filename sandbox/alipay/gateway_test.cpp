#include "sandbox/alipay/gateway.h"

#include "base/crypto/certificate.h"
#include "base/crypto/legacy_digest.h"
#include "sandbox/alipay/test_world.h"
#include "sandbox/formats/charset.h"

namespace finality::sandbox {
namespace {

using AlipayGatewayTest = AlipayTest;

// Tests of the methods that create trades: page.pay, app.pay, precreate and pay.

TEST_F(AlipayGatewayTest, ACodeBecomesATradeWhenItIsScanned) {
  const Object made = precreate("order_1");
  ASSERT_EQ(at(made, "code"), "10000") << made;
  EXPECT_EQ(at(made, "out_trade_no"), "order_1");
  EXPECT_EQ(precreate("order_1"), made) << "the same order has the same code";
  const Object before = query("order_1");
  EXPECT_EQ(at(before, "code"), "40004");
  EXPECT_EQ(sub_code(before), "ACQ.TRADE_NOT_EXIST");
  EXPECT_EQ(sub_code(close("order_1")), "ACQ.TRADE_NOT_EXIST");

  const std::string code = at(made, "qr_code");
  const std::string site = fmt::format("http://127.0.0.1:{}", sandbox_->port());
  ASSERT_TRUE(code.starts_with(site + "/alipay/qr/")) << code;
  const net::HttpResponse scanned = exchange("GET", code.substr(site.size()), "", {});
  EXPECT_EQ(scanned.status, 302);
  const std::string page(scanned.headers.get("Location"));
  EXPECT_EQ(visit("GET", page).text("state"), "waiting");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "WAIT_BUYER_PAY");
  EXPECT_EQ(visit("POST", page + "/pay").text("state"), "paid");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
}

TEST_F(AlipayGatewayTest, APaymentCountsAsAScan) {
  const std::string code = at(precreate("order_1"), "qr_code");
  visit("POST", "/wallet/" + code.substr(code.rfind('/') + 1) + "/pay");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
}

TEST_F(AlipayGatewayTest, APageIsOpenedByGetOrPostAndCreatesOneTrade) {
  Object order = order_of("order_1");
  order["product_code"] = "FAST_INSTANT_TRADE_PAY";
  const Fields fields = request("alipay.trade.page.pay", order, notified());
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
  const net::HttpResponse got = visit_page(fields);
  const net::HttpResponse posted = send(fields);
  const net::HttpResponse all_in_body = exchange("POST", "/gateway.do", encoded(fields), {});
  for (const net::HttpResponse& response : {got, posted, all_in_body}) {
    EXPECT_EQ(response.status, 302);
    EXPECT_EQ(response.headers.get("Location"), got.headers.get("Location"));
  }
  EXPECT_EQ(at(query("order_1"), "trade_status"), "WAIT_BUYER_PAY");
}

TEST_F(AlipayGatewayTest, AnAppsOrderStringOpensLikeAWebPage) {
  Object wap = order_of("order_1");
  wap["product_code"] = "QUICK_WAP_WAY";
  wap["quit_url"] = "http://shop.example/";
  EXPECT_EQ(visit_page(request("alipay.trade.wap.pay", wap)).status, 302);
  Object app = order_of("order_2");
  app["product_code"] = "QUICK_MSECURITY_PAY";
  EXPECT_EQ(visit_page(request("alipay.trade.app.pay", app)).status, 302);
  EXPECT_EQ(at(query("order_2"), "trade_status"), "WAIT_BUYER_PAY");
}

// As yansongda/pay and other SDKs send it.
TEST_F(AlipayGatewayTest, AWapOrderNeedsNoQuitUrlAndCanHaveTheOtherProductCode) {
  const auto status_of = [&](const char* number, const char* code, std::string_view quit_url) {
    Object wap = order_of(number);
    wap["product_code"] = code;
    if (!quit_url.empty()) wap["quit_url"] = quit_url;
    return visit_page(request("alipay.trade.wap.pay", wap)).status;
  };
  EXPECT_EQ(status_of("order_1", "QUICK_WAP_PAY", ""), 302);
  EXPECT_EQ(at(query("order_1"), "trade_status"), "WAIT_BUYER_PAY");
  EXPECT_EQ(status_of("order_2", "QUICK_WAP_WAY", ""), 302);
  EXPECT_NE(status_of("order_3", "QUICK_WAP_WAY", "shop"), 302) << "a quit_url must be a URL";
  EXPECT_NE(status_of("order_4", "FAST_INSTANT_TRADE_PAY", ""), 302);
}

TEST_F(AlipayGatewayTest, APageThatCannotBeOpenedShowsAnErrorInGbk) {
  const Object no_product = order_of("order_1");
  Fields forged = request("alipay.trade.page.pay", no_product);
  forged["sign"] = std::string(344, 'A');
  for (const auto& [fields, code] : {std::pair{request("alipay.trade.page.pay", no_product), "ACQ.INVALID_PARAMETER"},
                                     {forged, "isv.invalid-signature"}}) {
    const net::HttpResponse response = visit_page(fields);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.get("Content-Type"), "text/html;charset=GBK");
    EXPECT_NE(response.body.find(encode(kGbk, "抱歉")), std::string::npos);
    EXPECT_NE(response.body.find(code), std::string::npos) << response.body;
  }
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
}

TEST_F(AlipayGatewayTest, ABarcodeIsPaidImmediatelyOrWaitsForThePayer) {
  const auto pay = [&](const std::string& number, const std::string& scenario, const std::string& auth_code) {
    Object order = order_of(number, scenario);
    order["scene"] = "bar_code";
    order["auth_code"] = auth_code;
    return call_gateway("alipay.trade.pay", order, notified());
  };
  const Object paid = pay("order_1", "pays", "281234567890123456");
  EXPECT_EQ(at(paid, "code"), "10000");
  EXPECT_EQ(at(paid, "total_amount"), "12.34");
  EXPECT_EQ(at(paid, "receipt_amount"), "12.34");
  EXPECT_NE(at(paid, "gmt_payment"), "none");
  EXPECT_EQ(at(query("order_1"), "trade_no"), at(paid, "trade_no"));

  const Object waits = pay("order_2", "manual", "281234567890123456");
  EXPECT_EQ(at(waits, "code"), "10003");
  EXPECT_FALSE(waits.contains("gmt_payment"));
  EXPECT_EQ(at(query("order_2"), "trade_status"), "WAIT_BUYER_PAY");
  visit("POST", "/wallet/" + at(waits, "trade_no") + "/pay");
  EXPECT_EQ(at(query("order_2"), "trade_status"), "TRADE_SUCCESS");
  EXPECT_EQ(sub_code(pay("order_2", "manual", "281234567890123456")), "ACQ.TRADE_HAS_SUCCESS");

  EXPECT_EQ(sub_code(pay("order_3", "pays", "123")), "ACQ.PAYMENT_AUTH_CODE_INVALID");
  EXPECT_EQ(sub_code(query("order_3")), "ACQ.TRADE_NOT_EXIST");
}

TEST_F(AlipayGatewayTest, TheSameNumberWithAnotherAmountIsRefused) {
  precreate("order_1");
  Object changed = order_of("order_1");
  changed["total_amount"] = "12.35";
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.precreate", changed)), "ACQ.CONTEXT_INCONSISTENT");
}

TEST_F(AlipayGatewayTest, AnOrderThatHasEndedCannotBeOrderedAgain) {
  const std::string paid_no = open_page("order_1");
  visit("POST", "/wallet/" + paid_no + "/pay");
  open_page("order_2");
  close("order_2");
  EXPECT_EQ(sub_code(precreate("order_1")), "ACQ.TRADE_HAS_SUCCESS");
  EXPECT_EQ(sub_code(precreate("order_2")), "ACQ.TRADE_HAS_CLOSE");
}

TEST_F(AlipayGatewayTest, ACodeThatExpiresUnscannedNeverBecomesATrade) {
  const auto clock = start_with_stopped_clock();
  Object order = order_of("order_1");
  order["time_expire"] = "2020-01-01 00:00:00";
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.precreate", order)), "ACQ.INVALID_PARAMETER");
  const Time soon = clock->now() + std::chrono::minutes(1);
  std::string local = to_rfc3339(soon + std::chrono::hours(8)).substr(0, 19);
  local[10] = ' ';
  order["time_expire"] = local;
  const Object made = call_gateway("alipay.trade.precreate", order, notified());
  ASSERT_EQ(at(made, "code"), "10000") << made;
  clock->advance(std::chrono::minutes(1));
  const std::string code = at(made, "qr_code");
  const std::string wallet = "/wallet/" + code.substr(code.rfind('/') + 1);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (visit("GET", wallet).text("state") != "closed" && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(Duration{20});
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.precreate", order)), "ACQ.APPLY_PC_MERCHANT_CODE_ERROR");
  visit("POST", "/wallet/" + open_page("order_2") + "/pay");
  EXPECT_EQ(notifications(1)[0].at("out_trade_no"), "order_2") << "no notification about the other order";
}

struct BadField {
  const char* name;
  boost::json::value value;
};

TEST_F(AlipayGatewayTest, RejectsInvalidFields) {
  const BadField bad[] = {
      {"out_trade_no", ""},
      {"out_trade_no", "a-b"},
      {"out_trade_no", boost::json::string(65, 'a')},
      {"total_amount", "0"},
      {"total_amount", "0.00"},
      {"total_amount", "1.234"},
      {"total_amount", "-1"},
      {"total_amount", "1e3"},
      {"total_amount", "100000000.01"},
      {"subject", ""},
      {"subject", "a/b"},
      {"subject", "a=b"},
      {"subject", "a&b"},
      {"subject", boost::json::string(257, 's')},
      {"passback_params", "scenario=wonder"},
      {"product_code", "QUICK_WAP_WAY"},
      {"seller_id", "2088000000000002"},
      {"time_expire", "tomorrow"},
      {"timeout_express", "0m"},
      {"timeout_express", "16d"},
      {"timeout_express", "1x"},
  };
  for (const BadField& field : bad) {
    Object order = order_of("order_1");
    order[field.name] = field.value;
    const Object node = call_gateway("alipay.trade.precreate", order);
    EXPECT_EQ(sub_code(node), "ACQ.INVALID_PARAMETER") << field.name << " " << field.value;
    EXPECT_NE(at(node, "sub_msg").find(field.name), std::string::npos) << node;
  }
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.precreate", order_of("order_1"), {{"notify_url", "ftp://x/"}})),
            "ACQ.INVALID_PARAMETER");
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.query", {{"subject", "x"}})), "ACQ.INVALID_PARAMETER");
}

TEST_F(AlipayGatewayTest, AcceptsNumericAmountsAndTimeoutExpressions) {
  for (const char* timeout : {"1m", "90m", "2h", "15d", "1c"}) {
    Object order = order_of(std::string("order_") + timeout);
    order["total_amount"] = 88.8;
    order["timeout_express"] = timeout;
    EXPECT_EQ(at(call_gateway("alipay.trade.precreate", order), "code"), "10000") << timeout;
  }
  EXPECT_EQ(visit("GET", "/ledger").json.at("trades").at(0).at("amount").as_int64(), 8880);
}

// Tests of the authentication of requests and of the signatures of responses.

TEST_F(AlipayGatewayTest, RejectsInvalidSignaturesWithoutSigningTheRefusal) {
  const Fields good = request("alipay.trade.query", {{"out_trade_no", "order_1"}});
  const auto with = [&](const std::string& name, const std::string& value, bool signs) {
    Fields fields = good;
    fields[name] = value;
    return signs ? sign(fields) : fields;
  };
  const auto without = [&](const std::string& name) {
    Fields fields = good;
    fields.erase(name);
    return name == "sign" ? fields : sign(fields);
  };
  const std::pair<Fields, const char*> refused[] = {
      {with("sign", std::string(344, 'A'), false), "isv.invalid-signature"},
      {with("sign", "?", false), "isv.invalid-signature"},
      {with("version", "1.1", false), "isv.invalid-signature"},
      {with("biz_content", R"({"out_trade_no":"order_2"})", false), "isv.invalid-signature"},
      {with("app_id", "2021000000000002", true), "isv.invalid-app-id"},
      {with("sign_type", "RSA", true), "isv.invalid-signature-type"},
      {with("charset", "BIG5", true), "isv.invalid-charset"},
      {without("charset"), "isv.invalid-charset"},
      {with("timestamp", "2026-11-21T22:00:00Z", true), "isv.invalid-timestamp"},
      {with("method", "alipay.trade.wonder", true), "isv.invalid-method"},
      {without("sign"), "isv.missing-signature"},
      {without("app_id"), "isv.missing-app-id"},
      {without("method"), "isv.missing-method"},
      {without("timestamp"), "isv.missing-timestamp"},
  };
  for (const auto& [fields, code] : refused) {
    const net::HttpResponse response = send(fields);
    EXPECT_EQ(response.status, 200);
    const Object answer = boost::json::parse(response.body).as_object();
    EXPECT_EQ(answer.size(), 1u) << "no signature: " << response.body;
    const Object& node = answer.at("error_response").as_object();
    EXPECT_EQ(sub_code(node), code);
    EXPECT_EQ(at(node, "code"), std::string_view(code).contains("missing") ? "40001" : "40002");
  }
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST") << "a valid signature is accepted";
  const std::string broken = exchange("POST", "/gateway.do", "a=%GG", {}).body;
  EXPECT_TRUE(broken.contains("isv.invalid-parameter")) << broken;
}

TEST_F(AlipayGatewayTest, ReadsAndAnswersInTheCharacterSetOfTheRequest) {
  Object order = order_of("order_1");
  order["product_code"] = "QR_CODE_OFFLINE";
  for (const auto& [charset, answered] :
       {std::pair{"GBK", "GBK"}, {"gbk", "GBK"}, {"gb2312", "GB2312"}, {"GB18030", "GB18030"}}) {
    Fields fields = request("alipay.trade.precreate", order, {{"charset", charset}});
    for (auto& [name, value] : fields) value = encode(*find_charset(charset), value);
    const net::HttpResponse made = send(sign(fields));
    EXPECT_EQ(made.headers.get("Content-Type"), fmt::format("text/html;charset={}", answered));
    EXPECT_TRUE(made.body.contains("\"code\":\"10000\"")) << made.body;

    Object invalid = order;
    invalid["subject"] = "茶/Tea";
    fields = request("alipay.trade.precreate", invalid, {{"charset", charset}});
    for (auto& [name, value] : fields) value = encode(*find_charset(charset), value);
    const std::string refused = send(sign(fields)).body;
    const std::string node = raw_node("alipay.trade.precreate", refused);
    EXPECT_TRUE(node.contains(encode(kGbk, "参数无效: subject"))) << node;
    const std::string_view body = refused;
    const std::string_view signature = body.substr(body.rfind("\"sign\":\"") + 8, 344);
    EXPECT_TRUE(alipay_key_.verifies(node, from_base64(signature).value_or(""))) << refused;
  }
  EXPECT_EQ(at(call_gateway("alipay.trade.precreate", order), "code"), "10000")
      << "the same order in UTF-8; a changed one is refused";
}

TEST_F(AlipayGatewayTest, TheSignatureCoversTheBytesOfTheCharacterSet) {
  const Fields in_utf8 = request("alipay.trade.precreate", order_of("order_1"), {{"charset", "GBK"}});
  Fields in_gbk = in_utf8;
  in_gbk["biz_content"] = encode(kGbk, in_utf8.at("biz_content"));
  const std::string other_bytes = send(in_gbk).body;
  EXPECT_TRUE(other_bytes.contains("isv.invalid-signature")) << other_bytes;
  EXPECT_TRUE(other_bytes.contains(encode(kGbk, "无效签名"))) << "a refusal is in the character set, too";
  in_gbk["biz_content"] = "{\"out_trade_no\":\"order_1\",\"subject\":\"\xff\"}";
  EXPECT_TRUE(send(sign(in_gbk)).body.contains("isv.invalid-parameter"));
}

TEST_F(AlipayGatewayTest, EmptyParametersAreNotSigned) {
  Fields fields = request("alipay.trade.query", {{"out_trade_no", "order_1"}});
  fields["notify_url"] = "";
  EXPECT_NE(send(fields).body.find("ACQ.TRADE_NOT_EXIST"), std::string::npos);
}

TEST_F(AlipayGatewayTest, TheNodePrecedesItsSignatureWithSlashesEscaped) {
  const std::string body = send(request("alipay.trade.precreate", order_of("order_1"))).body;
  EXPECT_TRUE(body.starts_with(R"({"alipay_trade_precreate_response":{"code":"10000","msg":"Success")")) << body;
  EXPECT_NE(body.find(R"("qr_code":"http:\/\/127.0.0.1)"), std::string::npos) << body;
  EXPECT_LT(body.find("_response"), body.find("\"sign\""));
}

TEST_F(AlipayGatewayTest, InCertificateModeTheAnswerNamesItsCertificate) {
  const auto certificate_of = [](const char* name) { return Certificate::parse(text_of(handed_out(name))).value(); };
  const auto number_of = [](const Certificate& certificate) {
    return md5_hex(certificate.issuer() + certificate.serial_decimal());
  };
  const Certificate app = certificate_of("app_certificate.pem");
  const Certificate alipay = certificate_of("alipay_certificate.pem");
  const Certificate root = certificate_of("alipay_root_certificate.pem");
  EXPECT_TRUE(root.is_signed_with_rsa());
  EXPECT_EQ(app.public_key()->to_pem(), key_.public_key().to_pem());
  EXPECT_EQ(alipay.public_key()->to_pem(), alipay_key_.to_pem());

  const Object biz{{"out_trade_no", "order_1"}};
  const Fields names{{"app_cert_sn", number_of(app)}, {"alipay_root_cert_sn", number_of(root)}};
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.query", biz, names)), "ACQ.TRADE_NOT_EXIST");
  const Object answer = boost::json::parse(send(request("alipay.trade.query", biz, names)).body).as_object();
  EXPECT_EQ(at(answer, "alipay_cert_sn"), number_of(alipay));
  EXPECT_EQ(at(boost::json::parse(send(request("alipay.trade.query", biz)).body).as_object(), "alipay_cert_sn"),
            "none");
  const Fields wrong{{"app_cert_sn", number_of(root)}, {"alipay_root_cert_sn", number_of(root)}};
  EXPECT_NE(send(request("alipay.trade.query", biz, wrong)).body.find("isv.invalid-app-cert-sn"), std::string::npos);
}

TEST_F(AlipayGatewayTest, RejectsUnknownPathsAndMethods) {
  EXPECT_EQ(exchange("GET", "/gateway.do/more", "", {}).status, 404);
  EXPECT_EQ(exchange("GET", "/alipay", "", {}).status, 404);
  EXPECT_EQ(exchange("GET", "/alipay/qr/20260101", "", {}).status, 404);
  EXPECT_EQ(exchange("PUT", "/gateway.do", "", {}).status, 405);
  EXPECT_EQ(exchange("POST", "/alipay/qr/20260101", "", {}).status, 405);
}

TEST_F(AlipayGatewayTest, KeysSurviveARestartAndArePrivateToTheMerchant) {
  using std::filesystem::perms;
  const std::string before = text_of(handed_out("alipay_public_key.pem"));
  stop();
  start();
  EXPECT_EQ(text_of(handed_out("alipay_public_key.pem")), before);
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
  for (const auto& file : {handed_out("app_private_key.pem"), shared_keys() / "alipay" / "alipay_private_key.pem"})
    EXPECT_EQ(std::filesystem::status(file).permissions(), perms::owner_read | perms::owner_write) << file;
  const Object account = boost::json::parse(text_of(handed_out("account.json"))).as_object();
  EXPECT_EQ(at(account, "app_id"), "2021000000000001");
  EXPECT_EQ(at(account, "seller_id"), "2088000000000001");
}

// Tests of the methods query, close and cancel.

TEST_F(AlipayGatewayTest, AQueryReturnsAllFieldsOfATrade) {
  const std::string trade_no = open_page("order_1");
  const Object waiting = query("order_1");
  EXPECT_EQ(at(waiting, "total_amount"), "12.34");
  EXPECT_EQ(at(waiting, "receipt_amount"), "0.00");
  EXPECT_FALSE(waiting.contains("send_pay_date"));
  visit("POST", "/wallet/" + trade_no + "/pay");
  const Object paid = call_gateway("alipay.trade.query", {{"trade_no", trade_no}, {"out_trade_no", "another"}});
  EXPECT_EQ(at(paid, "out_trade_no"), "order_1") << "trade_no takes precedence";
  EXPECT_EQ(at(paid, "buyer_pay_amount"), "12.34");
  EXPECT_EQ(at(paid, "send_pay_date").size(), 19u);
  EXPECT_TRUE(at(paid, "buyer_user_id").starts_with("2088"));
  for (const auto& field : paid)
    if (field.value().is_string()) EXPECT_FALSE(field.value().get_string().empty()) << field.key();
}

TEST_F(AlipayGatewayTest, TradesOfOtherChannelsAreNotFound) {
  const std::string trade_no = create(order("order_1")).trade_no();
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.query", {{"trade_no", trade_no}})), "ACQ.TRADE_NOT_EXIST");
}

TEST_F(AlipayGatewayTest, ClosesOnlyWaitingTrades) {
  const std::string trade_no = open_page("order_1");
  const Object closed = close("order_1");
  EXPECT_EQ(at(closed, "code"), "10000");
  EXPECT_EQ(at(closed, "trade_no"), trade_no);
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_CLOSED");
  EXPECT_FALSE(query("order_1").contains("send_pay_date"));
  EXPECT_EQ(sub_code(close("order_1")), "ACQ.TRADE_STATUS_ERROR");
  visit("POST", "/wallet/" + open_page("order_2") + "/pay");
  EXPECT_EQ(sub_code(close("order_2")), "ACQ.TRADE_STATUS_ERROR");
  EXPECT_EQ(sub_code(close("order_3")), "ACQ.TRADE_NOT_EXIST");
}

TEST_F(AlipayGatewayTest, ACancelClosesWaitingTradesAndRefundsPaidOnes) {
  const auto cancel = [&](const std::string& number) {
    return call_gateway("alipay.trade.cancel", {{"out_trade_no", number}});
  };
  open_page("order_1");
  visit("POST", "/wallet/" + open_page("order_2") + "/pay");
  refund("order_2", "2.34", "part");
  precreate("order_3");
  EXPECT_EQ(at(cancel("order_1"), "action"), "close");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_CLOSED");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(at(cancel("order_2"), "action"), "refund");
  EXPECT_EQ(at(query("order_2"), "trade_status"), "TRADE_CLOSED");
  EXPECT_EQ(visit("GET", "/ledger").json.at("trades").at(1).at("refunded").as_int64(), 1234);
  for (const char* unseen : {"order_3", "order_4"}) {
    const Object cancelled = cancel(unseen);
    EXPECT_EQ(at(cancelled, "code"), "10000");
    EXPECT_EQ(at(cancelled, "retry_flag"), "N");
    EXPECT_FALSE(cancelled.contains("action")) << "no action without a trade";
  }
}

// Tests of the methods refund and fastpay.refund.query.

TEST_F(AlipayGatewayTest, RefundsUpToThePaidAmountAndReportsTheTotal) {
  visit("POST", "/wallet/" + open_page("order_1") + "/pay");
  const Object first = refund("order_1", "10.00", "back_1");
  EXPECT_EQ(at(first, "code"), "10000");
  EXPECT_EQ(at(first, "fund_change"), "Y");
  EXPECT_EQ(at(first, "refund_fee"), "10.00");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
  EXPECT_EQ(sub_code(refund("order_1", "2.35", "back_2")), "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL");
  const Object second = refund("order_1", "2.34", "back_2");
  EXPECT_EQ(at(second, "refund_fee"), "12.34") << "the total of the trade, not this refund";
  const Object after = query("order_1");
  EXPECT_EQ(at(after, "trade_status"), "TRADE_CLOSED");
  EXPECT_TRUE(after.contains("send_pay_date")) << "the only field that shows the payment";
}

TEST_F(AlipayGatewayTest, OptionalFieldsAreReturnedOnlyWhenQueryOptionsNameThem) {
  visit("POST", "/wallet/" + open_page("order_1") + "/pay");
  const auto call = [&](const std::string& method, Object biz, const std::vector<std::string>& options) {
    biz["out_trade_no"] = "order_1";
    if (!options.empty()) biz["query_options"] = boost::json::array(options.begin(), options.end());
    return call_gateway(method, biz);
  };
  const std::string query = "alipay.trade.query";
  const std::string refund = "alipay.trade.refund";
  const std::string refund_query = "alipay.trade.fastpay.refund.query";
  const Object trade{};
  const Object back_1{{"refund_amount", "1.00"}, {"out_request_no", "back_1"}};
  EXPECT_FALSE(call(query, trade, {}).contains("fund_bill_list"));
  EXPECT_TRUE(call(query, trade, {"fund_bill_list"}).contains("fund_bill_list"));
  const char* optional[] = {"send_back_fee", "gmt_refund_pay", "refund_detail_item_list", "deposit_back_info"};
  for (const std::string& method : {refund, refund_query}) {
    const Object unasked = call(method, back_1, {});
    EXPECT_EQ(at(unasked, "code"), "10000");
    for (const char* name : optional) EXPECT_FALSE(unasked.contains(name)) << method << " " << name;
    const Object details = call(method, back_1, {"refund_detail_item_list", "unknown_option"});
    EXPECT_EQ(at(details, "send_back_fee"), "1.00");
    EXPECT_EQ(at(details.at("refund_detail_item_list").at(0).as_object(), "amount"), "1.00");
    EXPECT_FALSE(details.contains("gmt_refund_pay"));
    const Object time = call(method, back_1, {"gmt_refund_pay", "deposit_back_info"});
    EXPECT_NE(at(time, "gmt_refund_pay"), "none");
    EXPECT_EQ(at(time.at("deposit_back_info").as_object(), "has_deposit_back"), "false");
    EXPECT_FALSE(time.contains("send_back_fee"));
  }
  for (const boost::json::value& invalid : {boost::json::value("gmt_refund_pay"), boost::json::value{1}}) {
    Object biz = back_1;
    biz["out_trade_no"] = "order_1";
    biz["query_options"] = invalid;
    EXPECT_EQ(sub_code(call_gateway(refund, biz)), "ACQ.INVALID_PARAMETER") << invalid;
  }
}

TEST_F(AlipayGatewayTest, ARepeatedRefundMovesNoMoney) {
  visit("POST", "/wallet/" + open_page("order_1") + "/pay");
  refund("order_1", "1.00", "back_1");
  const Object repeated = refund("order_1", "1.00", "back_1");
  EXPECT_EQ(at(repeated, "code"), "10000");
  EXPECT_EQ(at(repeated, "fund_change"), "N");
  EXPECT_EQ(at(repeated, "refund_fee"), "1.00");
  EXPECT_EQ(sub_code(refund("order_1", "2.00", "back_1")), "ACQ.DISCORDANT_REPEAT_REQUEST");
}

TEST_F(AlipayGatewayTest, ARefundsNumberIsUniquePerTrade) {
  for (const char* number : {"order_1", "order_2"}) {
    visit("POST", "/wallet/" + open_page(number) + "/pay");
    EXPECT_EQ(at(refund(number, "1.00", "back_1"), "fund_change"), "Y");
  }
  EXPECT_EQ(at(query_refund("order_2", "back_1"), "refund_amount"), "1.00");
}

TEST_F(AlipayGatewayTest, WithoutANumberOnlyAFullRefundIsPossible) {
  visit("POST", "/wallet/" + open_page("order_1") + "/pay");
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.refund", {{"out_trade_no", "order_1"}, {"refund_amount", "1.00"}})),
            "ACQ.INVALID_PARAMETER");
  EXPECT_EQ(
      at(call_gateway("alipay.trade.refund", {{"out_trade_no", "order_1"}, {"refund_amount", "12.34"}}), "fund_change"),
      "Y");
  EXPECT_EQ(at(query_refund("order_1", "order_1"), "refund_status"), "REFUND_SUCCESS");
}

TEST_F(AlipayGatewayTest, AQueryOfAMissingRefundOmitsItsFields) {
  const std::string trade_no = open_page("order_1");
  EXPECT_EQ(sub_code(refund("order_1", "1.00", "back_1")), "ACQ.TRADE_STATUS_ERROR");
  visit("POST", "/wallet/" + trade_no + "/pay");
  refund("order_1", "1.00", "back_1");
  const Object found = query_refund("order_1", "back_1");
  EXPECT_EQ(at(found, "refund_status"), "REFUND_SUCCESS");
  EXPECT_EQ(at(found, "total_amount"), "12.34");
  EXPECT_EQ(at(found, "out_request_no"), "back_1");
  const Object absent = query_refund("order_1", "back_2");
  EXPECT_EQ(at(absent, "code"), "10000");
  EXPECT_EQ(absent.size(), 2u) << absent;
  EXPECT_EQ(sub_code(query_refund("order_2", "back_1")), "ACQ.TRADE_NOT_EXIST");
}

}  // namespace
}  // namespace finality::sandbox
