#include "sandbox/wechatpay/order.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {
namespace {

constexpr const WechatpayMerchant& kMerchant = kWechatpayMerchants[0];
constexpr Time kNow{1'795'248'000'000};

boost::json::value order() {
  return {{"appid", kMerchant.appid},
          {"mchid", kMerchant.mchid},
          {"description", "茶"},
          {"out_trade_no", "order-000001"},
          {"notify_url", "https://shop.example/notify/wechatpay"},
          {"amount", {{"total", 8000}}}};
}

boost::json::value refund_order() {
  return {{"transaction_id", "4200202611213361512300070001"},
          {"out_refund_no", "refund-1"},
          {"amount", {{"refund", 100}, {"total", 8000}, {"currency", "CNY"}}}};
}

// Returns `body` with `value` at the JSON pointer. A null `value` removes the member.
boost::json::value with(boost::json::value body, std::string_view pointer, boost::json::value value) {
  boost::json::value* at = &body;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view name = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(name.size());
    if (!at->is_object()) at->emplace_object();
    at = &at->get_object()[name];
  }
  *at = std::move(value);
  return body;
}

boost::json::string text_of(std::size_t length) { return boost::json::string(length, 'x'); }

auto read(const boost::json::value& body, std::string_view product = "native") {
  return read_order(kMerchant, product, boost::json::serialize(body), "", kNow);
}

struct Refused {
  int status = 0;
  std::string code;
  std::string field;
};
template <class Value>
Refused refused(const std::expected<Value, net::HttpResponse>& answer) {
  if (answer) return {};
  const boost::json::value body = boost::json::parse(answer.error().body);
  Refused refused{answer.error().status, std::string(body.at("code").as_string()), ""};
  const boost::json::value* detail = body.get_object().if_contains("detail");
  if (detail != nullptr && detail->get_object().contains("field")) {
    refused.field = detail->at("field").as_string();
  } else if (detail != nullptr) {  // the refusal of a text names its field in the message
    constexpr std::string_view kBefore = "“/body";
    const std::string message(body.at("message").as_string());
    const std::size_t begin = message.find(kBefore) + kBefore.size();
    refused.field = message.substr(begin, message.find("”", begin) - begin);
  }
  return refused;
}

TEST(WechatpayOrder, IsReadWithItsDefaults) {
  const auto trade = read(order());
  ASSERT_TRUE(trade) << trade.error().body;
  EXPECT_EQ(trade->channel, "wechatpay");
  EXPECT_EQ(trade->product, "native");
  EXPECT_EQ(trade->out_trade_no, "order-000001");
  EXPECT_EQ(trade->amount, 8000);
  EXPECT_EQ(trade->currency, "CNY");
  EXPECT_EQ(trade->subject, "茶");
  EXPECT_EQ(trade->scenario, "manual");
  EXPECT_EQ(trade->expires_at, kNow + std::chrono::days(7));
  EXPECT_FALSE(read_details(trade->details).is_probed);
}

TEST(WechatpayOrder, EachFieldIsChecked) {
  const struct {
    const char* pointer;
    boost::json::value value;
    const char* code;
  } cases[] = {
      {"/appid", nullptr, "PARAM_ERROR"},
      {"/appid", "wx0000000000000000", "APPID_MCHID_NOT_MATCH"},
      {"/mchid", nullptr, "PARAM_ERROR"},
      {"/mchid", "1900000002", "MCH_NOT_EXISTS"},
      {"/mchid", 1900000001, "PARAM_ERROR"},
      {"/mchid", "1900000102", "APPID_MCHID_NOT_MATCH"},
      {"/appid", "wx0f1a0c0de0000102", "APPID_MCHID_NOT_MATCH"},
      {"/description", nullptr, "PARAM_ERROR"},
      {"/description", "", "PARAM_ERROR"},
      {"/description", text_of(128), "PARAM_ERROR"},
      {"/out_trade_no", "short", "PARAM_ERROR"},
      {"/out_trade_no", text_of(33), "PARAM_ERROR"},
      {"/out_trade_no", "order 000001", "PARAM_ERROR"},
      {"/notify_url", nullptr, "PARAM_ERROR"},
      {"/notify_url", "https://shop.example/notify?order=1", "PARAM_ERROR"},
      {"/notify_url", "/notify", "PARAM_ERROR"},
      {"/amount", nullptr, "PARAM_ERROR"},
      {"/amount/total", 0, "PARAM_ERROR"},
      {"/amount/total", 1.5, "PARAM_ERROR"},
      {"/amount/total", "8000", "PARAM_ERROR"},
      {"/amount/currency", "USD", "PARAM_ERROR"},
      {"/time_expire", "tomorrow", "PARAM_ERROR"},
      {"/time_expire", "2020-01-01T00:00:00+08:00", "INVALID_REQUEST"},
      {"/attach", text_of(129), "PARAM_ERROR"},
      {"/attach", "scenario=wonder", "PARAM_ERROR"},
  };
  for (const auto& test_case : cases) {
    const Refused answer = refused(read(with(order(), test_case.pointer, test_case.value)));
    EXPECT_EQ(answer.code, test_case.code) << test_case.pointer << " " << test_case.value;
    EXPECT_EQ(answer.status, 400);
    const bool names_field = answer.field.empty() || answer.field.starts_with(test_case.pointer);
    EXPECT_TRUE(names_field) << answer.field << " instead of " << test_case.pointer;
  }
}

TEST(WechatpayOrder, ADescriptionIsCountedInBytes) {
  boost::json::string tea;
  for (int i = 0; i < 42; ++i) tea += "茶";
  EXPECT_TRUE(read(with(order(), "/description", tea)));
  tea += "茶";
  const auto refused = read(with(order(), "/description", tea));
  ASSERT_FALSE(refused);
  const boost::json::value body = boost::json::parse(refused.error().body);
  EXPECT_EQ(body.at("code"), "PARAM_ERROR");
  EXPECT_EQ(body.at("message"),
            "输入源“/body/description”映射到值字段“商品描述”字符串规则校验失败，字节数 129，大于最大值 127");
  EXPECT_EQ(body.at("detail"), (boost::json::object{{"location", "body"}, {"value", 129}}));
}

TEST(WechatpayOrder, ARefusalOfATextNamesTheFieldAndTheRule) {
  const auto message = [](const char* pointer, std::string_view text) {
    const auto refused = read(with(order(), pointer, boost::json::string(text)));
    return refused ? std::string() : std::string(boost::json::parse(refused.error().body).at("message").as_string());
  };
  EXPECT_TRUE(message("/out_trade_no", "abc").ends_with("“商户订单号”字符串规则校验失败，字节数 3，小于最小值 6"));
  EXPECT_TRUE(message("/out_trade_no", "number 7").contains("字符串必须匹配正则表达式“^[0-9a-zA-Z_"));
  EXPECT_TRUE(message("/attach", std::string(129, 'a')).ends_with("字节数 129，大于最大值 128"));
}

TEST(WechatpayOrder, ABodyMustBeAnObject) {
  for (const std::string body : {"", "[]", "null", "{", "{\"a\":1}}"})
    EXPECT_EQ(refused(read_order(kMerchant, "native", body, "", kNow)).code, "PARAM_ERROR") << body;
  EXPECT_EQ(refused(read_order(kMerchant, "native", std::string(100, '['), "", kNow)).code, "PARAM_ERROR");
}

TEST(WechatpayOrder, EachProductHasItsRequiredFields) {
  EXPECT_EQ(refused(read(order(), "jsapi")).field, "/payer/openid");
  const auto jsapi = read(with(order(), "/payer/openid", "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"), "jsapi");
  ASSERT_TRUE(jsapi);
  EXPECT_EQ(read_details(jsapi->details).openid, "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o");

  EXPECT_EQ(refused(read(order(), "h5")).field, "/scene_info/payer_client_ip");
  const boost::json::value scene{{"payer_client_ip", "203.0.113.7"}, {"h5_info", {{"type", "Wap"}}}};
  EXPECT_TRUE(read(with(order(), "/scene_info", scene), "h5"));
  EXPECT_EQ(refused(read(with(with(order(), "/scene_info", scene), "/scene_info/h5_info/type", "Fax"), "h5")).field,
            "/scene_info/h5_info/type");
  EXPECT_TRUE(read(order(), "app"));
}

TEST(WechatpayOrder, AttachNamesTheScenario) {
  const auto pays = read(with(order(), "/attach", "scenario=pays"));
  ASSERT_TRUE(pays);
  EXPECT_EQ(pays->scenario, "pays");
  const auto probed = read(with(order(), "/attach", "scenario=pays_twice,probed"));
  ASSERT_TRUE(probed);
  EXPECT_EQ(probed->scenario, "pays_twice");
  EXPECT_TRUE(read_details(probed->details).is_probed);
  const auto own_text = read(with(order(), "/attach", "table 7"));
  ASSERT_TRUE(own_text);
  EXPECT_EQ(own_text->scenario, "manual");
  EXPECT_EQ(read_details(own_text->details).attach, "table 7");
}

TEST(WechatpayOrder, ExpiresAtTimeExpireOrAfterSevenDays) {
  const auto soon = read(with(order(), "/time_expire", to_rfc3339(kNow + std::chrono::hours(2)).c_str()));
  ASSERT_TRUE(soon);
  EXPECT_EQ(soon->expires_at, kNow + std::chrono::hours(2));
  const auto late = read(with(order(), "/time_expire", to_rfc3339(kNow + std::chrono::days(30)).c_str()));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->expires_at, kNow + std::chrono::days(7));
}

TEST(WechatpayOrder, TheFingerprintCoversAllFieldsButNotTheirOrder) {
  const auto fingerprint = [](const boost::json::value& body) {
    return read_details(read(body).value().details).fingerprint;
  };
  const boost::json::value same = boost::json::parse(
      R"({"amount":{"currency":"CNY","total":8000},"notify_url":"https://shop.example/notify/wechatpay",
          "out_trade_no":"order-000001","description":"茶","mchid":"1900000001","appid":"wx0f1a0c0de0000001"})");
  EXPECT_EQ(fingerprint(order()), fingerprint(same));
  EXPECT_NE(fingerprint(order()), fingerprint(with(order(), "/description", "咖啡")));
  EXPECT_NE(fingerprint(order()), fingerprint(with(order(), "/notify_url", "https://shop.example/other")));
  EXPECT_NE(fingerprint(order()), fingerprint(with(order(), "/attach", "table 7")));
  EXPECT_NE(fingerprint(order()), fingerprint(with(order(), "/time_expire", to_rfc3339(kNow + Duration{1}).c_str())));
}

TEST(WechatpayOrder, EachFieldOfARefundIsChecked) {
  const auto read_refund = [](const boost::json::value& body) {
    return read_refund_order(boost::json::serialize(body));
  };
  const auto whole = read_refund(refund_order());
  ASSERT_TRUE(whole) << whole.error().body;
  EXPECT_EQ(whole->amount, 100);
  EXPECT_EQ(whole->total, 8000);
  EXPECT_EQ(whole->notify_url, "");
  const auto by_number =
      read_refund(with(with(refund_order(), "/transaction_id", nullptr), "/out_trade_no", "order-000001"));
  ASSERT_TRUE(by_number);
  EXPECT_EQ(by_number->out_trade_no, "order-000001");

  const struct {
    const char* pointer;
    boost::json::value value;
  } cases[] = {{"/transaction_id", nullptr},  {"/out_refund_no", nullptr}, {"/out_refund_no", text_of(65)},
               {"/amount/refund", 0},         {"/amount/refund", 8001},    {"/amount/total", nullptr},
               {"/amount/currency", nullptr}, {"/reason", text_of(81)},    {"/notify_url", "https://a.example/?a=b"}};
  for (const auto& test_case : cases) {
    const Refused answer = refused(read_refund(with(refund_order(), test_case.pointer, test_case.value)));
    EXPECT_EQ(answer.code, "PARAM_ERROR") << test_case.pointer;
    EXPECT_EQ(answer.field, test_case.pointer);
  }
}

TEST(WechatpayOrder, ACloseNamesTheMerchant) {
  EXPECT_FALSE(refusal_of_close(kMerchant, R"({"mchid":"1900000001"})"));
  EXPECT_TRUE(refusal_of_close(kMerchant, R"({"mchid":"1900000002"})"));
  EXPECT_TRUE(refusal_of_close(kWechatpayMerchants[1], R"({"mchid":"1900000001"})"));
  EXPECT_TRUE(refusal_of_close(kMerchant, "{}"));
  EXPECT_TRUE(refusal_of_close(kMerchant, ""));
}

}  // namespace
}  // namespace finality::sandbox
