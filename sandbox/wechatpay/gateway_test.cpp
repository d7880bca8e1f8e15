#include "sandbox/wechatpay/gateway.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/crypto/legacy_digest.h"
#include "sandbox/wechatpay/account.h"
#include "sandbox/wechatpay/notification.h"
#include "sandbox/wechatpay/order.h"
#include "sandbox/wechatpay/test_world.h"

namespace finality::sandbox {
namespace {

class WechatpayGatewayTest : public WechatpayTest {
 protected:
  void expect_error(const SandboxReply& answer, int status, std::string_view code) {
    EXPECT_EQ(answer.status, status) << answer.response.body;
    ASSERT_TRUE(answer.json.is_object()) << answer.response.body;
    EXPECT_EQ(answer.text("code"), code) << answer.response.body;
    EXPECT_FALSE(answer.text("message").empty());
  }

  // Creates a paid trade. Returns its transaction_id.
  std::string paid(const std::string& out_trade_no) {
    prepay(out_trade_no, "pays");
    return wait_for_trade(out_trade_no, "SUCCESS").text("transaction_id");
  }

  // Opens the payer's page at the URL that the merchant received.
  SandboxReply page_of(const std::string& url) {
    const std::string own = fmt::format("http://127.0.0.1:{}", sandbox_->port());
    EXPECT_TRUE(url.starts_with(own)) << url;
    return visit("GET", url.substr(own.size()));
  }
  SandboxReply follow(const SandboxReply& answer) {
    EXPECT_EQ(answer.status, 303) << answer.response.body;
    return visit("GET", std::string(answer.response.headers.get("Location")));
  }

  std::string download(const std::string& url, int status = 200) {
    const std::string target = url.substr(url.find("/v3/"));
    const net::HttpResponse response = exchange("GET", target, "", headers_of({.target = target}));
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.headers.get("Wechatpay-Signature"), "") << "downloads are not signed";
    return response.body;
  }
};

TEST_F(WechatpayGatewayTest, NativeIsPaidOnThePageOfItsCode) {
  const SandboxReply made = prepay(wechat_order("order-000001"));
  ASSERT_EQ(made.status, 200) << made.response.body;
  const std::string code_url = made.text("code_url");
  const SandboxReply waiting = page_of(code_url);
  EXPECT_EQ(waiting.text("state"), "waiting");
  EXPECT_EQ(query("order-000001").text("trade_state"), "NOTPAY");

  visit("POST", "/wallet/" + waiting.text("trade_no") + "/pay");
  const SandboxReply reply = query("order-000001");
  EXPECT_EQ(reply.text("trade_state"), "SUCCESS");
  EXPECT_EQ(reply.text("trade_type"), "NATIVE");
  EXPECT_EQ(reply.text("out_trade_no"), "order-000001");
  EXPECT_EQ(reply.text("appid"), account("appid"));
  EXPECT_EQ(reply.text("mchid"), account("mchid"));
  EXPECT_EQ(reply.text("attach"), "scenario=manual");
  EXPECT_EQ(reply.text("transaction_id").size(), 28u);
  EXPECT_TRUE(reply.text("transaction_id").starts_with("4200"));
  EXPECT_TRUE(reply.text("success_time").ends_with("+08:00"));
  const boost::json::object amount = reply.json.at("amount").as_object();
  EXPECT_EQ(amount.at("total").as_int64(), 1234);
  EXPECT_EQ(amount.at("payer_total").as_int64(), 1234);
  EXPECT_EQ(amount.at("currency"), "CNY");
  EXPECT_FALSE(reply.json.at("payer").at("openid").as_string().empty());

  const Callback callback = callbacks(1)[0];
  EXPECT_EQ(callback.event(), "TRANSACTION.SUCCESS");
  EXPECT_EQ(callback.envelope.at("resource_type"), "encrypt-resource");
  EXPECT_EQ(callback.envelope.at("resource").at("original_type"), "transaction");
  EXPECT_EQ(boost::json::value(callback.resource), reply.json);
}

TEST_F(WechatpayGatewayTest, AnUnpaidTradeHasNoTransactionId) {
  prepay(wechat_order("order-000001"));
  const SandboxReply waiting = query("order-000001");
  for (const char* field : {"transaction_id", "trade_type", "success_time", "payer"})
    EXPECT_FALSE(waiting.json.as_object().contains(field)) << field;
  EXPECT_EQ(waiting.json.at("amount").at("total").as_int64(), 1234);
}

TEST_F(WechatpayGatewayTest, ATransactionIsFoundByItsTransactionIdToo) {
  const std::string id = paid("order-000001");
  const std::string mchid = "?mchid=" + account("mchid");
  const SandboxReply found = get("/v3/pay/transactions/id/" + id + mchid);
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.json, query("order-000001").json);
  expect_error(get("/v3/pay/transactions/id/4200000000000000000000000000" + mchid), 404, "ORDER_NOT_EXIST");
  // An unpaid trade is not found by its trade_no, which becomes its transaction_id only with the payment.
  const std::string url = prepay(wechat_order("order-000002")).text("code_url");
  expect_error(get("/v3/pay/transactions/id/" + url.substr(url.rfind('/') + 1) + mchid), 404, "ORDER_NOT_EXIST");
}

TEST_F(WechatpayGatewayTest, AQueryNamesItsMerchant) {
  prepay(wechat_order("order-000001"));
  expect_error(get("/v3/pay/transactions/out-trade-no/order-000001"), 400, "PARAM_ERROR");
  expect_error(get("/v3/pay/transactions/out-trade-no/order-000001?mchid=1900000002"), 400, "MCH_NOT_EXISTS");
  expect_error(query("order-000002"), 404, "ORDER_NOT_EXIST");
}

TEST_F(WechatpayGatewayTest, NumbersMayBeEscapedInThePath) {
  prepay(wechat_order("order*0|001"));
  EXPECT_EQ(query("order*0%7C001").status, 200);
  EXPECT_EQ(query("order%2A0%7c001").status, 200);
  EXPECT_EQ(close("order%2A0%7C001").status, 204);
  expect_error(query("order%2A0%7C00"), 404, "ORDER_NOT_EXIST");
}

TEST_F(WechatpayGatewayTest, AnOrderMayBePrepaidAgainUnchangedWhileItWaits) {
  const auto order = wechat_order("order-000001");
  EXPECT_EQ(prepay(order).status, 200);
  EXPECT_EQ(prepay(order).status, 200);
  auto changed = order;
  changed["description"] = "coffee";
  expect_error(prepay(changed), 400, "INVALID_REQUEST");
  changed = order;
  changed["amount"].as_object()["total"] = 1235;
  expect_error(prepay(changed), 400, "INVALID_REQUEST");
  expect_error(prepay(order, "app"), 400, "INVALID_REQUEST");
  EXPECT_EQ(ledger().size(), 1u);

  EXPECT_EQ(close("order-000001").status, 204);
  expect_error(prepay(order), 400, "ORDER_CLOSED");
  paid("order-000002");
  expect_error(prepay("order-000002", "pays"), 400, "ORDER_PAID");
  prepay(wechat_order("order-000003"));
  visit("POST", "/wallet/" + std::string(ledger()[2].at("trade_no").as_string()) + "/decline");
  EXPECT_EQ(prepay(wechat_order("order-000003")).status, 200) << "the payer can try again";
}

TEST_F(WechatpayGatewayTest, ClosingIsSignedAndMayBeRepeated) {
  prepay(wechat_order("order-000001"));
  for (int i = 0; i < 2; ++i) {
    const SandboxReply closed = close("order-000001");  // `send_signed` has verified the signature over the empty body
    EXPECT_EQ(closed.status, 204);
    EXPECT_EQ(closed.response.body, "");
  }
  EXPECT_EQ(query("order-000001").text("trade_state"), "CLOSED");
  expect_error(close("order-000002"), 404, "ORDER_NOT_EXIST");
  paid("order-000003");
  expect_error(close("order-000003"), 400, "ORDER_PAID");
  expect_error(post("/v3/pay/transactions/out-trade-no/order-000001/close", {{"mchid", "1900000002"}}), 400,
               "MCH_NOT_EXISTS");
}

TEST_F(WechatpayGatewayTest, TimeExpireEndsATrade) {
  const auto clock = start_with_stopped_clock();
  auto order = wechat_order("order-000001");
  order["time_expire"] = to_rfc3339(clock->now() + std::chrono::minutes(1));
  EXPECT_EQ(prepay(order).status, 200);
  clock->advance(std::chrono::minutes(1));
  wait_for_trade("order-000001", "CLOSED");
  EXPECT_EQ(receiver_.count(), 0u) << "the channel does not notify an expiry";
}

TEST_F(WechatpayGatewayTest, JsapiPaysWithTheMerchantsSignature) {
  auto order = wechat_order("order-000001");
  order["payer"] = {{"openid", "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"}};
  const SandboxReply made = prepay(order, "jsapi");
  ASSERT_EQ(made.status, 200) << made.response.body;
  const std::string package = "prepay_id=" + made.text("prepay_id");
  const auto cashier = [&](const std::string& signed_package, const std::string& nonce) {
    const std::string sign_text = fmt::format("{}\n1795248000\n{}\n{}\n", account("appid"), "nonce", signed_package);
    return visit("GET", fmt::format("/wechatpay/cashier?appId={}&timeStamp=1795248000&nonceStr={}&package={}"
                                    "&signType=RSA&paySign={}",
                                    account("appid"), nonce, percent_encode(package), percent_encode(sign(sign_text))));
  };
  EXPECT_EQ(cashier("prepay_id=another", "nonce").status, 400);
  EXPECT_EQ(cashier(package, "another").status, 400);
  const SandboxReply wallet = follow(cashier(package, "nonce"));
  visit("POST", "/wallet/" + wallet.text("trade_no") + "/pay");
  const SandboxReply reply = query("order-000001");
  EXPECT_EQ(reply.text("trade_type"), "JSAPI");
  EXPECT_EQ(reply.json.at("payer").at("openid"), "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o");
}

TEST_F(WechatpayGatewayTest, AppPaysWithTheMerchantsSignature) {
  const std::string prepay_id = prepay(wechat_order("order-000001"), "app").text("prepay_id");
  EXPECT_TRUE(prepay_id.starts_with("wx"));
  const auto cashier = [&](const std::string& partner, const std::string& signed_text) {
    const std::string signature = sign(fmt::format("{}\n1795248000\nnonce\n{}\n", account("appid"), signed_text));
    return visit("GET", fmt::format("/wechatpay/cashier?appid={}&partnerid={}&prepayid={}&package=Sign%3DWXPay"
                                    "&noncestr=nonce&timestamp=1795248000&sign={}",
                                    account("appid"), partner, prepay_id, percent_encode(signature)));
  };
  EXPECT_EQ(cashier(account("mchid"), "prepay_id=" + prepay_id).status, 400) << "the signature format of web pages";
  EXPECT_EQ(cashier("1900000002", prepay_id).status, 400);
  EXPECT_EQ(follow(cashier(account("mchid"), prepay_id)).text("out_trade_no"), "order-000001");
}

TEST_F(WechatpayGatewayTest, H5RedirectsToThePageAndBackToTheShop) {
  auto order = wechat_order("order-000001");
  order["scene_info"] = {{"payer_client_ip", "203.0.113.7"}, {"h5_info", {{"type", "Wap"}}}};
  const std::string h5_url = prepay(order, "h5").text("h5_url");
  EXPECT_TRUE(h5_url.contains('?')) << "merchants append to it";
  const SandboxReply wallet =
      follow(page_of(h5_url + "&redirect_url=" + percent_encode("https://shop.example/thanks?a=b")));
  EXPECT_EQ(wallet.text("out_trade_no"), "order-000001");
  const SandboxReply page = visit("GET", "/wallet/" + wallet.text("trade_no"), "text/html");
  EXPECT_TRUE(page.response.body.contains("https://shop.example/thanks?a=b")) << page.response.body;
  EXPECT_EQ(visit("GET", "/wechatpay/h5?prepay_id=wx1000000").status, 400);
  EXPECT_EQ(visit("GET", "/wechatpay/h5").status, 400);
}

TEST_F(WechatpayGatewayTest, ARefundIsAcceptedFirstAndSettlesLater) {
  const std::string id = paid("order-000001");
  const SandboxReply accepted = refund("refund-1", id, 234);
  ASSERT_EQ(accepted.status, 200) << accepted.response.body;
  EXPECT_EQ(accepted.text("status"), "PROCESSING");
  EXPECT_EQ(accepted.text("transaction_id"), id);
  EXPECT_EQ(accepted.text("out_trade_no"), "order-000001");
  EXPECT_EQ(accepted.text("refund_id").size(), 29u);
  EXPECT_FALSE(accepted.json.as_object().contains("success_time"));
  EXPECT_EQ(accepted.json.at("amount").at("refund").as_int64(), 234);
  EXPECT_EQ(accepted.json.at("amount").at("total").as_int64(), 1234);

  const SandboxReply arrived = wait_for_refund("refund-1", "SUCCESS");
  EXPECT_TRUE(arrived.json.as_object().contains("success_time"));
  EXPECT_EQ(arrived.text("refund_id"), accepted.text("refund_id"));
  EXPECT_EQ(query("order-000001").text("trade_state"), "REFUND");

  const auto received = callbacks(2);
  EXPECT_EQ(received[1].event(), "REFUND.SUCCESS");
  EXPECT_EQ(received[1].envelope.at("resource").at("original_type"), "refund");
  EXPECT_EQ(received[1].text("refund_status"), "SUCCESS");
  EXPECT_EQ(received[1].text("out_refund_no"), "refund-1");
  EXPECT_EQ(received[1].text("refund_id"), accepted.text("refund_id"));
  EXPECT_EQ(received[1].text("success_time"), arrived.text("success_time"));
  EXPECT_EQ(received[1].resource.at("amount").at("refund").as_int64(), 234);
}

TEST_F(WechatpayGatewayTest, ARefundNumberAlwaysMeansTheSameRefund) {
  const std::string id = paid("order-000001");
  const SandboxReply first = refund("refund-1", id, 234);
  const SandboxReply repeated = refund("refund-1", id, 234);
  EXPECT_EQ(repeated.text("refund_id"), first.text("refund_id"));
  expect_error(refund("refund-1", id, 235), 400, "INVALID_REQUEST");
  expect_error(refund("refund-2", id, 1001), 400, "INVALID_REQUEST");
  expect_error(refund("refund-2", id, 100, 1000), 400, "INVALID_REQUEST");
  EXPECT_EQ(refund("refund-2", id, 1000).status, 200);
  expect_error(refund("refund-3", id, 1), 400, "INVALID_REQUEST");
  EXPECT_EQ(ledger()[0].at("refunded").as_int64(), 1234);
}

TEST_F(WechatpayGatewayTest, OnlyPaidTradesAreRefunded) {
  expect_error(refund("refund-1", "4200000000000000000000000000", 1), 404, "RESOURCE_NOT_EXISTS");
  prepay(wechat_order("order-000001"));
  const auto by_number = [&] {
    return post("/v3/refund/domestic/refunds", {{"out_trade_no", "order-000001"},
                                                {"out_refund_no", "refund-1"},
                                                {"amount", {{"refund", 1}, {"total", 1234}, {"currency", "CNY"}}}});
  };
  expect_error(by_number(), 404, "RESOURCE_NOT_EXISTS");
  expect_error(query_refund("refund-1"), 404, "RESOURCE_NOT_EXISTS");
  paid("order-000002");
  // A trade of another channel is not found.
  const std::string other_trade = create(order("order-000003", "pays")).trade_no();
  wait_for_state("order-000003", "paid");
  expect_error(refund("refund-1", other_trade, 1), 404, "RESOURCE_NOT_EXISTS");
}

TEST_F(WechatpayGatewayTest, ARefundWithoutANotifyUrlIsNotNotified) {
  paid("order-000001");
  callbacks(1);
  const SandboxReply accepted =
      post("/v3/refund/domestic/refunds", {{"out_trade_no", "order-000001"},
                                           {"out_refund_no", "refund-1"},
                                           {"amount", {{"refund", 1234}, {"total", 1234}, {"currency", "CNY"}}}});
  EXPECT_EQ(accepted.status, 200);
  wait_for_refund("refund-1", "SUCCESS");
  // The next callback is about order-000002, so the refund has caused no callback.
  paid("order-000002");
  EXPECT_EQ(callbacks(2)[1].text("out_trade_no"), "order-000002");
}

TEST_F(WechatpayGatewayTest, AnswersAreSignedWithTheRequestedKey) {
  const std::string public_key_id = account("public_key_id");
  Request request{.method = "POST",
                  .target = "/v3/pay/transactions/native",
                  .body = boost::json::serialize(wechat_order("order-000001", "pays")),
                  .requested_serial = public_key_id};
  EXPECT_EQ(send_signed(request).status, 200);
  const auto received = receiver_.wait_for(1);
  EXPECT_EQ(received[0].headers.get("Wechatpay-Serial"), public_key_id);
  open(received[0]);
  request.requested_serial = "PUB_KEY_ID_0000";
  expect_error(send_signed(request), 400, "PARAM_ERROR");
}

TEST_F(WechatpayGatewayTest, CallbacksAreSignedByThePlatformUnlessTheOrderRequestsAnotherKey) {
  prepay("order-000001", "pays");
  EXPECT_EQ(receiver_.wait_for(1)[0].headers.get("Wechatpay-Serial"), account("platform_serial_no"));
}

TEST_F(WechatpayGatewayTest, ThePlatformCertificateIsEncrypted) {
  const SandboxReply answer = get("/v3/certificates");
  ASSERT_EQ(answer.status, 200);
  const boost::json::object entry = answer.json.at("data").at(0).as_object();
  EXPECT_EQ(std::string(entry.at("serial_no").as_string()), account("platform_serial_no"));
  EXPECT_EQ(entry.at("encrypt_certificate").at("associated_data"), "certificate");
  const std::string pem = decrypt(entry.at("encrypt_certificate").as_object());
  EXPECT_EQ(pem, read_text(handed_out("platform_certificate.pem")));
  const auto certificate = Certificate::parse(pem);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->serial_hex(), account("platform_serial_no"));
  EXPECT_EQ(parse_rfc3339(std::string(entry.at("expire_time").as_string())), certificate->not_after());
  EXPECT_EQ(parse_rfc3339(std::string(entry.at("effective_time").as_string())), certificate->not_before());
}

TEST_F(WechatpayGatewayTest, InvalidSignaturesAreRejectedWithoutAnyEffect) {
  const std::string body = boost::json::serialize(wechat_order("order-000001"));
  const Request right{.method = "POST", .target = "/v3/pay/transactions/native", .body = body};
  Request request = right;
  request.signed_body = body + " ";
  expect_error(send_signed(request), 401, "SIGN_ERROR");
  request = right;
  request.mchid = "1900000002";
  expect_error(send_signed(request), 401, "SIGN_ERROR");
  request = right;
  request.serial_no = "408B07E79B8269FEC3D5D3E6AB8ED163A6A380DB";
  expect_error(send_signed(request), 401, "SIGN_ERROR");
  for (const std::int64_t seconds : {-302, 302}) {
    request = right;
    request.seconds_off = seconds;
    const SandboxReply stale = send_signed(request);
    expect_error(stale, 401, "SIGN_ERROR");
    EXPECT_TRUE(stale.text("message").contains("timestamp"));
  }
  net::Headers none;
  none.add("Accept", "application/json");
  expect_error(read(exchange("POST", right.target, body, none)), 401, "SIGN_ERROR");
  EXPECT_TRUE(ledger().empty());
  request = right;
  request.serial_no = account("serial_no");
  EXPECT_EQ(send_signed(request).status, 200);
}

TEST_F(WechatpayGatewayTest, EveryRouteRequiresASignature) {
  const std::pair<const char*, const char*> routes[] = {{"POST", "/v3/pay/transactions/jsapi"},
                                                        {"POST", "/v3/pay/transactions/app"},
                                                        {"POST", "/v3/pay/transactions/h5"},
                                                        {"GET", "/v3/pay/transactions/out-trade-no/1?mchid=1900000001"},
                                                        {"GET", "/v3/pay/transactions/id/1?mchid=1900000001"},
                                                        {"POST", "/v3/pay/transactions/out-trade-no/1/close"},
                                                        {"POST", "/v3/refund/domestic/refunds"},
                                                        {"GET", "/v3/refund/domestic/refunds/1"},
                                                        {"GET", "/v3/certificates"},
                                                        {"GET", "/v3/bill/tradebill?bill_date=2026-11-21"},
                                                        {"GET", "/v3/bill/fundflowbill?bill_date=2026-11-21"},
                                                        {"GET", "/v3/billdownload/file?token=1"}};
  for (const auto& [method, target] : routes) {
    SCOPED_TRACE(target);
    net::Headers headers;
    headers.add("Accept", "application/json");
    expect_error(read(exchange(method, target, "", headers)), 401, "SIGN_ERROR");
  }
}

TEST_F(WechatpayGatewayTest, SomeRoutesCheckAcceptBeforeTheSignature) {
  expect_error(read(exchange("GET", "/v3/certificates", "", {})), 400, "INVALID_REQUEST");
  expect_error(read(exchange("GET", "/v3/pay/transactions/id/1", "", {})), 401, "SIGN_ERROR");
}

TEST_F(WechatpayGatewayTest, UnknownPathsAndWrongMethodsHaveNoBody) {
  const auto expect_empty = [&](const char* method, const char* target, int status) {
    const net::HttpResponse response = exchange(method, target, "", headers_of({.method = method, .target = target}));
    EXPECT_EQ(response.status, status) << target;
    EXPECT_EQ(response.body, "") << target;
    EXPECT_EQ(response.headers.get("Wechatpay-Signature"), "");
  };
  for (const char* target : {"/v3", "/v3/", "/v3/pay/transactions", "/v3/pay/transactions/", "/v3/pay/transactions/fax",
                             "/v3/certificates/", "/v3/pay/transactions/id", "/v3/pay/transactions/native/x"})
    expect_empty("GET", target, 404);
  expect_empty("GET", "/v3/pay/transactions/native", 405);
  expect_empty("POST", "/v3/certificates", 405);
  expect_empty("DELETE", "/v3/refund/domestic/refunds/1", 405);
}

TEST_F(WechatpayGatewayTest, ACallbackIsRepeatedUnchangedUntilItIsAcknowledged) {
  receiver_.reply_with([](std::size_t n) -> net::HttpResponse {
    if (n == 0) return {.status = 500, .headers = {}, .body = ""};
    if (n == 1) return {.status = 200, .headers = {}, .body = R"({"code":"FAIL","message":"no"})"};
    if (n == 2) return {.status = 401, .headers = {}, .body = R"({"code":"SUCCESS"})"};
    if (n == 3) return {.status = 204, .headers = {}, .body = ""};
    return {.status = 200, .headers = {}, .body = R"({"code":"SUCCESS","message":"成功"})"};
  });
  prepay("order-000001", "pays");
  const auto received = receiver_.wait_for(4);
  for (const auto& request : received) {
    open(request);
    EXPECT_EQ(request.body, received[0].body);
  }
  EXPECT_NE(received[0].headers.get("Wechatpay-Nonce"), received[1].headers.get("Wechatpay-Nonce"));
  // The next callbacks are about the next trades, so the responses 204 and 200 SUCCESS have acknowledged the callbacks.
  paid("order-000002");
  EXPECT_EQ(open(receiver_.wait_for(5)[4]).text("out_trade_no"), "order-000002");
  paid("order-000003");
  EXPECT_EQ(open(receiver_.wait_for(6)[5]).text("out_trade_no"), "order-000003");
}

TEST_F(WechatpayGatewayTest, ThereAreFifteenRepetitions) {
  auto gateway = make_wechatpay_gateway(
      {.io = io_, .ledger_thread = nullptr, .public_url = "", .time_scale = 10, .keys_directory = shared_keys()});
  ASSERT_TRUE(gateway) << gateway.error().message;
  const Notification notification;
  Duration whole{0};
  std::int64_t attempts = 1;
  for (; const auto delay = (*gateway)->retry_delay(notification, attempts); ++attempts) whole += *delay;
  EXPECT_EQ(attempts - 1, 15);
  EXPECT_EQ((*gateway)->retry_delay(notification, 1), Duration{1500});
  using namespace std::chrono_literals;
  EXPECT_EQ(whole * 10, 15s + 15s + 30s + 3min + 10min + 20min + 90min + 60min + 9h + 12h);
}

TEST_F(WechatpayGatewayTest, AProbedTradesCallbackIsGenuineAtTheSecondAttempt) {
  receiver_.reply_with(
      [](std::size_t n) { return net::HttpResponse{.status = n == 0 ? 401 : 204, .headers = {}, .body = ""}; });
  prepay("order-000001", "pays,probed");
  const auto received = receiver_.wait_for(2);
  EXPECT_TRUE(received[0].headers.get("Wechatpay-Signature").starts_with("WECHATPAY/SIGNTEST/"));
  EXPECT_FALSE(is_genuine(received[0].headers, received[0].body));
  EXPECT_EQ(received[0].body, received[1].body);
  EXPECT_EQ(open(received[1]).event(), "TRANSACTION.SUCCESS");
}

TEST_F(WechatpayGatewayTest, ThePlatformSignsIfTheRequestedKeyIsMissing) {
  const auto opened = open_wechatpay_account(shared_keys() / "wechatpay");
  ASSERT_TRUE(opened) << opened.error().message;
  Notification notification{.id = "sbn1",
                            .type = "trade.paid",
                            .created_at = {},
                            .url = "http://127.0.0.1:1/notify",
                            .body = R"({"trade":{"state":"paid","currency":"CNY","paid":1,"refunded":0}})"};
  notification.trade.details = write_details({.attach = "", .openid = "", .fingerprint = "", .signer = "PUB_KEY_ID_0"});
  const auto call = wechatpay_callback(*opened, notification, SystemClock().now());
  ASSERT_TRUE(call);
  EXPECT_EQ(call->headers.get("Wechatpay-Serial"), account("platform_serial_no"));
  expect_genuine(call->headers, call->body);
}

TEST_F(WechatpayGatewayTest, BillsAreDownloadedUnsignedAndMatchTheirHash) {
  publish_early("wechatpay", today());
  const std::string id = paid("order-000001");
  const SandboxReply accepted = refund("refund-1", id, 234);
  const SandboxReply arrived = wait_for_refund("refund-1", "SUCCESS");
  for (const std::string kind : {"tradebill?bill_type=ALL&bill_date=", "tradebill?bill_date=",
                                 "fundflowbill?account_type=BASIC&bill_date=", "fundflowbill?bill_date="}) {
    SCOPED_TRACE(kind);
    const SandboxReply offer = get("/v3/bill/" + kind + today());
    ASSERT_EQ(offer.status, 200) << offer.response.body;
    EXPECT_EQ(offer.text("hash_type"), "SHA1");
    const std::string content = download(offer.text("download_url"));
    EXPECT_EQ(sha1_hex(content), offer.text("hash_value"));
    EXPECT_TRUE(content.starts_with("\xEF\xBB\xBF"));
    EXPECT_TRUE(content.ends_with("\r\n"));
    EXPECT_TRUE(content.contains(",`" + id + ",`"));
    const SandboxReply packed = get("/v3/bill/" + kind + today() + "&tar_type=GZIP");
    EXPECT_EQ(packed.text("hash_value"), offer.text("hash_value")) << "the hash covers the unpacked file";
    EXPECT_TRUE(download(packed.text("download_url")).starts_with("\x1F\x8B"));
  }
  const std::string refunds =
      download(get("/v3/bill/tradebill?bill_type=REFUND&bill_date=" + today()).text("download_url"));
  EXPECT_TRUE(refunds.contains(",`refund-1,`2.34,`"));
  EXPECT_TRUE(refunds.contains(",`-0.01000,`0.60%,")) << refunds;
  for (const SandboxReply& reply : {accepted, arrived})
    EXPECT_EQ(reply.json.at("amount").at("refund_fee").as_int64(), 1) << "the returned fee, as in the bill";
  const std::string all = download(get("/v3/bill/tradebill?bill_date=" + today()).text("download_url"));
  EXPECT_TRUE(all.ends_with("`2,`12.34,`2.34,`0.00,`0.06000,`12.34,`2.34\r\n")) << all;
}

TEST_F(WechatpayGatewayTest, ARequestForABillIsChecked) {
  const std::string tomorrow = to_rfc3339(SystemClock().now() + std::chrono::hours(32)).substr(0, 10);
  expect_error(get("/v3/bill/tradebill?bill_date=" + today()), 400, "STATEMENT_CREATING");
  publish_early("wechatpay", today());
  expect_error(get("/v3/bill/tradebill?bill_date=" + today()), 400, "NO_STATEMENT_EXIST");
  expect_error(get("/v3/bill/fundflowbill?bill_date=" + today()), 400, "NO_STATEMENT_EXIST");
  paid("order-000001");
  expect_error(get("/v3/bill/tradebill?bill_date=" + tomorrow), 400, "INVALID_REQUEST");
  expect_error(get("/v3/bill/tradebill?bill_date=2020-01-01"), 400, "INVALID_REQUEST");
  expect_error(get("/v3/bill/tradebill"), 400, "PARAM_ERROR");
  expect_error(get("/v3/bill/tradebill?bill_date=20261121"), 400, "PARAM_ERROR");
  expect_error(get("/v3/bill/tradebill?bill_type=FAX&bill_date=" + today()), 400, "PARAM_ERROR");
  expect_error(get("/v3/bill/tradebill?tar_type=ZIP&bill_date=" + today()), 400, "PARAM_ERROR");
  expect_error(get("/v3/bill/tradebill?bill_type=REFUND&bill_date=" + today()), 400, "NO_STATEMENT_EXIST");
  expect_error(get("/v3/bill/fundflowbill?account_type=FEES&bill_date=" + today()), 400, "NO_STATEMENT_EXIST");
  expect_error(get("/v3/bill/fundflowbill?account_type=FAX&bill_date=" + today()), 400, "PARAM_ERROR");
  expect_error(get("/v3/billdownload/file?token=none"), 404, "RESOURCE_NOT_EXISTS");
}

TEST_F(WechatpayGatewayTest, KeysAndTradesSurviveARestart) {
  const std::string id = paid("order-000001");
  stop();
  start();
  EXPECT_EQ(query("order-000001").text("transaction_id"), id);
}

TEST_F(WechatpayGatewayTest, AnInvalidKeyFileIsNamedAtStartup) {
  const std::filesystem::path keys = directory_ / "keys";
  std::filesystem::create_directories(keys / "wechatpay");
  std::ofstream(keys / "wechatpay" / "api_v3_key") << "too short";
  std::ofstream(keys / "wechatpay" / "public_key_private_key.pem") << "no key";
  const auto broken = make_wechatpay_gateway(
      {.io = io_, .ledger_thread = nullptr, .public_url = "", .time_scale = 1, .keys_directory = keys});
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.contains("public_key_private_key.pem")) << broken.error().message;
}

}  // namespace
}  // namespace finality::sandbox
