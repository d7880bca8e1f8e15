#include "worker/effects/mask.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/json/parse.hpp>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "channel/registry.h"

namespace finality {
namespace {

constexpr std::string_view kCanary = "c4n4ry";

/// Mask with the field names of all channel kinds, as servers use it.
const Mask& mask() {
  static const Mask made{field_names_of(channel_kinds())};
  return made;
}

boost::json::value body_of(std::string_view body) { return boost::json::parse(mask().shown_body(body)); }

TEST(Mask, HidesCredentialsPaymentCodesAndThePayersIdentity) {
  for (const std::string_view name : {"sign",
                                      "Sign",
                                      "paySign",
                                      "signature",
                                      "Wechatpay-Signature",
                                      "Sandbox-Signature",
                                      "Authorization",
                                      "auth_code",
                                      "openid",
                                      "sub_openid",
                                      "payer",
                                      "payer_client_ip",
                                      "client_ip",
                                      "buyer_id",
                                      "buyer_logon_id",
                                      "buyer_user_id",
                                      "buyer_open_id",
                                      "buyer_user_name",
                                      "ciphertext",
                                      "encrypt_ciphertext",
                                      "app_auth_token",
                                      "access_token",
                                      "secret",
                                      "api_v3_key",
                                      "encrypt_key",
                                      "nickname",
                                      "private_key",
                                      "key",
                                      "password",
                                      "user_received_account",
                                      "mobile",
                                      "phone_no",
                                      "email",
                                      "cert_no",
                                      "id_card_number",
                                      "return_url"})
    EXPECT_TRUE(mask().is_hidden(name)) << name;
}

TEST(Mask, ShowsTheBusinessFieldsOfAPayment) {
  for (const std::string_view name :
       {"out_trade_no", "trade_no",      "transaction_id", "total_amount", "amount",
        "total",        "payer_total",   "payer_currency", "payer_refund", "buyer_pay_amount",
        "currency",     "code",          "sub_code",       "msg",          "sub_msg",
        "message",      "trade_state",   "trade_status",   "sign_type",    "notify_url",
        "subject",      "description",   "mchid",          "appid",        "app_id",
        "method",       "out_refund_no", "refund_status",  "fund_change",  "state",
        "status"})
    EXPECT_FALSE(mask().is_hidden(name)) << name;
}

TEST(Mask, ReadsChannelFieldNamesFromTheKind) {
  const Mask common;
  const Mask bank(FieldNames{.hidden = {"iban", "Holder_Name"}, .shown = {"iban_country", "payer_fee"}});
  for (const std::string_view name : {"iban", "debtor_iban", "holderName", "holder-name-2"}) {
    EXPECT_FALSE(common.is_hidden(name)) << name;
    EXPECT_TRUE(bank.is_hidden(name)) << name;
  }
  EXPECT_FALSE(bank.is_hidden("iban_country"));
  EXPECT_FALSE(bank.is_hidden("payer_fee"));
  EXPECT_TRUE(common.is_hidden("payer_fee"));
  EXPECT_TRUE(bank.is_hidden("sign")) << "a common name";
  EXPECT_EQ(bank.shown_body(R"({"iban":"DE00","amount":5})"), R"({"iban":"***","amount":5})");
}

TEST(Mask, EveryKindsNamesAreInTheUnion) {
  for (const ChannelKind* kind : channel_kinds()) {
    for (const std::string_view name : kind->hidden_fields) EXPECT_TRUE(mask().is_hidden(name)) << name;
    for (const std::string_view name : kind->shown_fields) EXPECT_FALSE(mask().is_hidden(name)) << name;
  }
}

TEST(Mask, HidesAtEveryDepthOfJson) {
  EXPECT_EQ(
      body_of(R"({"a":[{"openid":"x","n":1}],"payer":{"openid":"x"},"payer_total":5,"b":{"c":{"sign":"x"}}})"),
      boost::json::parse(R"({"a":[{"openid":"***","n":1}],"payer":"***","payer_total":5,"b":{"c":{"sign":"***"}}})"));
}

TEST(Mask, ShowsTheBusinessFieldsOfAnAuthorization) {
  for (const std::string_view name :
       {"auth_no", "out_order_no", "out_request_no", "operation_id", "total_freeze_amount", "total_pay_amount",
        "rest_amount", "authorized", "captured", "released", "capture_before", "captures", "final",
        "auth_confirm_mode"})
    EXPECT_FALSE(mask().is_hidden(name)) << name;
  EXPECT_EQ(
      body_of(R"({"authorization":{"auth_no":"A1","payer":"x"},"authorizations":[{"openid":"x"}]})"),
      boost::json::parse(R"({"authorization":{"auth_no":"A1","payer":"***"},"authorizations":[{"openid":"***"}]})"));
  EXPECT_EQ(body_of(R"({"authorization":"Bearer x"})"), boost::json::parse(R"({"authorization":"***"})"));
}

TEST(Mask, HidesThePayerOfAnAuthorization) {
  for (const std::string_view name : {"payer_user_id", "payer_open_id", "payer_logon_id", "buyer_id", "auth_code"})
    EXPECT_TRUE(mask().is_hidden(name)) << name;
}

TEST(Mask, ReadsAFormAndTheJsonInIt) {
  EXPECT_EQ(
      body_of("app_id=1&sign=a%2Fb&biz_content=%7B%22out_trade_no%22%3A%22n%22%2C%22auth_code%22%3A%2228%22%7D&s=a+b"),
      boost::json::parse(
          R"({"app_id":"1","sign":"***","biz_content":{"out_trade_no":"n","auth_code":"***"},"s":"a b"})"));
}

TEST(Mask, TextThatCannotBeParsedIsNotShown) {
  for (const std::string_view body :
       {"<html>sign</html>", "success", "{\"broken\":", "=x", "%zz=1", "a=%ff", "PK\x03\x04",
        R"(<p class="error">auth_code: 28</p>)", R"({"auth_code":"28","url":"https://a.example/?b=1)",
        R"([{"openid":"o"},"a=b")", "auth_code is 28 and a=b"})
    EXPECT_EQ(mask().shown_body(body), '"' + std::to_string(body.size()) + " bytes\"") << body;
}

TEST(Mask, CutsLongTextBetweenCharacters) {
  std::string long_body = R"({"subject":")";
  while (long_body.size() < 3 * limits::kExchangeTextMax) long_body += "茶";
  const boost::json::value shown = body_of(long_body + R"("})");
  const std::string text(shown.as_string());
  EXPECT_LE(text.size(), limits::kExchangeTextMax);
  EXPECT_GT(text.size(), limits::kExchangeTextMax - 8);
  EXPECT_TRUE(is_utf8(text));
  EXPECT_TRUE(text.ends_with("…"));
}

TEST(Mask, ShowsPathAndQueryOfAUrl) {
  EXPECT_EQ(mask().shown_target("https://a.example/v3/pay/1?mchid=7&sign=x"), "/v3/pay/1?mchid=7&sign=***");
  EXPECT_EQ(mask().shown_target("https://a.example"), "/");
  EXPECT_EQ(mask().shown_target("https://a.example?token=x&u=/v3"), "/?token=***&u=/v3");
  EXPECT_EQ(mask().shown_target("https://a.example/gateway.do?biz_content=%7B%22auth_code%22%3A%221%22%7D"),
            R"(/gateway.do?biz_content={"auth_code":"***"})");
  EXPECT_EQ(mask().shown_target("https://a.example/x?not-a-query"), "/x?***");
}

TEST(Mask, MasksTheQueryOfAUrlInABody) {
  EXPECT_EQ(body_of(R"({"download_url":"https://a.example/v3/file?token=t&day=1","qr_code":"https://qr.example/bax1",
                       "h5_url":"http://b.example?prepay_id=p&auth_token=t","list":["https://a.example/?sign=s"]})"),
            boost::json::parse(R"({"download_url":"https://a.example/v3/file?token=***&day=1",
                                   "qr_code":"https://qr.example/bax1",
                                   "h5_url":"http://b.example/?prepay_id=p&auth_token=***",
                                   "list":["https://a.example/?sign=***"]})"));
}

TEST(Mask, AnExchangeIsJsonWithoutHeaders) {
  UpstreamRequest request{.url = "https://a.example/v3/x", .http = {.method = "POST", .body = R"({"openid":"u"})"}};
  request.http.headers.add("Authorization", std::string(kCanary));
  net::HttpResponse response{.status = 404, .body = R"({"code":"NOT_FOUND"})"};
  response.headers.add("Set-Cookie", std::string(kCanary));
  EXPECT_EQ(boost::json::parse(mask().shown_exchange(request, {response, ""})),
            boost::json::parse(R"({"request":{"method":"POST","path":"/v3/x","body":{"openid":"***"}},
                                   "response":{"status":404,"body":{"code":"NOT_FOUND"}}})"));
  request.http.body.clear();
  EXPECT_EQ(boost::json::parse(mask().shown_exchange(request, {std::nullopt, "no response"})),
            boost::json::parse(R"({"request":{"method":"POST","path":"/v3/x"}})"));
}

// For all input bytes, the output is valid JSON in UTF-8 and not longer than the limit.
TEST(Mask, AnyBytesAreShownAsJson) {
  rc::check("any body", [](const std::string& body, bool form, bool list) {
    const std::string text = (form ? "a=" : list ? "[\"" : "") + body + (list ? "\"]" : "");
    const std::string shown = mask().shown_body(text);
    boost::system::error_code broken;
    boost::json::parse(shown, broken);
    RC_ASSERT(!broken);
    RC_ASSERT(is_utf8(shown));
    RC_ASSERT(is_utf8(mask().shown_target("http://h/" + percent_encode(body) + "?a=" + percent_encode(body))) ||
              !is_utf8(body));
  });
}

TEST(Mask, NoValueOfAHiddenFieldIsEverShown) {
  rc::check("a canary anywhere", [](std::uint8_t place, std::uint8_t depth) {
    constexpr std::string_view kNames[] = {"sign", "openid", "auth_code", "buyer_id", "ciphertext", "payer"};
    std::string json =
        R"({")" + std::string(kNames[place % std::size(kNames)]) + R"(":")" + std::string(kCanary) + R"("})";
    for (int i = 0; i < depth % 20; ++i) json = i % 2 == 0 ? R"({"x":)" + json + "}" : "[" + json + "]";
    RC_ASSERT(!mask().shown_body(json).contains(kCanary));
    RC_ASSERT(!mask().shown_body("biz_content=" + percent_encode(json)).contains(kCanary));
    RC_ASSERT(!mask().shown_target("http://h/p?biz_content=" + percent_encode(json)).contains(kCanary));
  });
}

}  // namespace
}  // namespace finality
