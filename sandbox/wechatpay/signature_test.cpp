#include "sandbox/wechatpay/signature.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "base/crypto/encoding.h"
#include "base/testing/source_dir.h"

namespace finality::sandbox {
namespace {

// Keys and signatures of the example merchant in WeChat Pay's documentation.
struct Document {
  boost::json::object vectors = [] {
    std::ifstream in(source_dir() + "/tests/vectors/wechatpay.json");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return boost::json::parse(text).at("wechat_doc").as_object();
  }();

  std::string text(std::string_view name) const { return std::string(vectors.at(name).as_string()); }
  std::string signature(std::string_view name) const {
    for (const auto& vector : vectors.at("cases").as_array())
      if (vector.at("name").as_string() == name) return std::string(vector.at("signature").as_string());
    ADD_FAILURE() << "no vector " << name;
    return {};
  }
};

const Document& document() {
  static const Document read;
  return read;
}

const WechatpayAccount& account() {
  static const std::string mchid = document().text("mchid");
  static const RsaPrivateKey merchant = *RsaPrivateKey::parse(Secret(document().text("private_key_pem")));
  static const WechatpayAccount made{
      .merchant = {.channel = {}, .suffix = {}, .mchid = mchid, .appid = {}},
      .merchant_serial = document().text("serial_no"),
      .merchant_key = merchant.public_key(),
      .platform = {"5157F09EFDC096DE15EBE81A47057A7232F1B8E1", RsaPrivateKey::generate()},
      .platform_certificate = "",
      .public_key = {"PUB_KEY_ID_01", RsaPrivateKey::generate()},
      .api_v3_key = {}};
  return made;
}

constexpr Time kSignedAt{1'554'208'460'000};
constexpr std::string_view kNonce = "593BEC0C930BF1AFEB40B4A08C8FB242";

struct Parameters {
  std::string mchid = document().text("mchid");
  std::string nonce{kNonce};
  std::string timestamp = "1554208460";
  std::string serial = document().text("serial_no");
  std::string signature = document().signature("GET refund query");
};

net::HttpRequest refund_query(std::string authorization) {
  net::HttpRequest request{.method = "GET", .target = "/v3/refund/domestic/refunds/123123123123"};
  request.headers.add("Authorization", std::move(authorization));
  return request;
}

std::array<std::string, 5> written(const Parameters& parameters) {
  return {fmt::format("mchid=\"{}\"", parameters.mchid), fmt::format("nonce_str=\"{}\"", parameters.nonce),
          fmt::format("timestamp=\"{}\"", parameters.timestamp), fmt::format("serial_no=\"{}\"", parameters.serial),
          fmt::format("signature=\"{}\"", parameters.signature)};
}

std::string authorization(const Parameters& parameters) {
  const auto parts = written(parameters);
  return fmt::format("WECHATPAY2-SHA256-RSA2048 {},{},{},{},{}", parts[0], parts[1], parts[2], parts[3], parts[4]);
}

WechatpaySignatureError error(const Parameters& parameters, Time now = kSignedAt) {
  return signature_error_of(account(), refund_query(authorization(parameters)), now);
}

TEST(WechatpaySignature, RequestsOfTheDocumentationAreAccepted) {
  EXPECT_EQ(error({}), WechatpaySignatureError::none);
  net::HttpRequest order{
      .method = "POST",
      .target = "/v3/pay/transactions/jsapi",
      .body = R"({"appid":"wxd678efh567hg6787","mchid":"1900007291","description":"Image形象店-深圳腾大-QQ公仔",)"
              R"("out_trade_no":"1217752501201407033233368018","notify_url":"https://www.weixin.qq.com/wxpay/pay.php",)"
              R"("amount":{"total":100,"currency":"CNY"},"payer":{"openid":"oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"}})"};
  order.headers.add("Authorization", authorization({.signature = document().signature("POST jsapi prepay")}));
  EXPECT_EQ(signature_error_of(account(), order, kSignedAt), WechatpaySignatureError::none);
  order.body += ' ';
  EXPECT_EQ(signature_error_of(account(), order, kSignedAt), WechatpaySignatureError::forged);
}

TEST(WechatpaySignature, TheParametersMayBeInAnyOrder) {
  std::array<std::string, 5> parts = written({});
  std::ranges::sort(parts);
  do {
    const std::string parameters =
        fmt::format("WECHATPAY2-SHA256-RSA2048 {},{},{},{},{}", parts[0], parts[1], parts[2], parts[3], parts[4]);
    EXPECT_EQ(signature_error_of(account(), refund_query(parameters), kSignedAt), WechatpaySignatureError::none)
        << parameters;
  } while (std::ranges::next_permutation(parts).found);
}

TEST(WechatpaySignature, TheSerialMayBeInLowerCase) {
  std::string serial = document().text("serial_no");
  std::ranges::transform(serial, serial.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  EXPECT_EQ(error({.serial = serial}), WechatpaySignatureError::none);
}

TEST(WechatpaySignature, ModifiedRequestsAreForged) {
  EXPECT_EQ(error({.mchid = "1900007292"}), WechatpaySignatureError::forged);
  EXPECT_EQ(error({.nonce = "593BEC0C930BF1AFEB40B4A08C8FB243"}), WechatpaySignatureError::forged);
  EXPECT_EQ(error({.timestamp = "1554208461"}), WechatpaySignatureError::forged);
  EXPECT_EQ(error({.serial = "408B07E79B8269FEC3D5D3E6AB8ED163A6A380DC"}), WechatpaySignatureError::forged);
  EXPECT_EQ(error({.signature = document().signature("POST jsapi prepay")}), WechatpaySignatureError::forged);
  EXPECT_EQ(error({.signature = "ZmFrZQ=="}), WechatpaySignatureError::forged);
  EXPECT_EQ(error({.signature = "not base64"}), WechatpaySignatureError::forged);
  net::HttpRequest changed = refund_query(authorization({}));
  changed.method = "POST";
  EXPECT_EQ(signature_error_of(account(), changed, kSignedAt), WechatpaySignatureError::forged);
  changed = refund_query(authorization({}));
  changed.target += "?mchid=1";
  EXPECT_EQ(signature_error_of(account(), changed, kSignedAt), WechatpaySignatureError::forged);
}

TEST(WechatpaySignature, TheToleranceIsFiveMinutes) {
  const Duration most = std::chrono::seconds(300);
  EXPECT_EQ(error({}, kSignedAt + most), WechatpaySignatureError::none);
  EXPECT_EQ(error({}, kSignedAt - most), WechatpaySignatureError::none);
  EXPECT_EQ(error({}, kSignedAt + most + Duration{1000}), WechatpaySignatureError::stale);
  EXPECT_EQ(error({}, kSignedAt - most - Duration{1000}), WechatpaySignatureError::stale);
}

TEST(WechatpaySignature, OtherSchemesAreMalformed) {
  const std::string right = authorization({});
  const std::string bodies[] = {"",
                                "Bearer token",
                                "WECHATPAY2-SHA256-RSA2048",
                                "WECHATPAY2-SHA256-RSA2048 ",
                                "WECHATPAY2-SM2-WITH-SM3" + right.substr(right.find(' ')),
                                right + ",",
                                right + ",mchid=\"1900007291\"",
                                right + ";x=\"1\"",
                                right.substr(0, right.size() - 1),
                                authorization({.timestamp = "1554208460.0"}),
                                authorization({.timestamp = "-1554208460"}),
                                authorization({.timestamp = "1554208460000000000000"}),
                                authorization({.timestamp = ""}),
                                authorization({.nonce = ""})};
  for (const std::string& body : bodies)
    EXPECT_EQ(signature_error_of(account(), refund_query(body), kSignedAt), WechatpaySignatureError::malformed) << body;
}

// Returns whether the Wechatpay-* headers contain a valid signature of `body`, verified as a merchant would.
bool is_genuine(const net::Headers& headers, const RsaPrivateKey& key, std::string_view body) {
  const auto signature = from_base64(headers.get("Wechatpay-Signature"));
  const std::string message =
      fmt::format("{}\n{}\n{}\n", headers.get("Wechatpay-Timestamp"), headers.get("Wechatpay-Nonce"), body);
  return signature && key.public_key().verifies(message, *signature);
}

TEST(WechatpaySignature, AnswersAreSignedWithTheNamedKey) {
  for (const WechatpaySigner* signer : {&account().platform, &account().public_key}) {
    for (const std::string body : {"", R"({"code_url":"x"})"}) {
      net::Headers headers;
      sign_as_wechatpay(*signer, kSignedAt, body, headers);
      EXPECT_TRUE(is_genuine(headers, signer->key, body));
      EXPECT_FALSE(is_genuine(headers, signer->key, body + "x"));
      EXPECT_EQ(headers.get("Wechatpay-Serial"), signer->serial);
      EXPECT_EQ(headers.get("Wechatpay-Timestamp"), "1554208460");
      EXPECT_EQ(headers.get("Wechatpay-Signature-Type"), "WECHATPAY2-SHA256-RSA2048");
    }
  }
}

TEST(WechatpaySignature, AProbeIsNotGenuine) {
  net::Headers headers;
  probe_as_wechatpay(account().platform, kSignedAt, "{}", headers);
  EXPECT_TRUE(headers.get("Wechatpay-Signature").starts_with("WECHATPAY/SIGNTEST/"));
  EXPECT_FALSE(is_genuine(headers, account().platform.key, "{}"));
  EXPECT_EQ(headers.get("Wechatpay-Serial"), account().platform.serial);
}

TEST(WechatpaySignature, ARequestSelectsTheSigningKey) {
  EXPECT_EQ(account().signer_for(""), &account().platform);
  EXPECT_EQ(account().signer_for("5157f09efdc096de15ebe81a47057a7232f1b8e1"), &account().platform);
  EXPECT_EQ(account().signer_for("PUB_KEY_ID_01"), &account().public_key);
  EXPECT_EQ(account().signer_for("PUB_KEY_ID_02"), nullptr);
}

TEST(WechatpaySignature, PaymentsByClientsAreVerifiedAsDocumented) {
  const std::string package = "prepay_id=wx201410272009395522657a690389285100";
  const std::string signature = document().signature("JSAPI paySign");
  const auto holds = [&](std::string_view nonce, std::string_view signed_package) {
    return is_signed_by_merchant(account(), "wx2421b1c4370ec43b", "1554208460", nonce, signed_package, signature);
  };
  EXPECT_TRUE(holds(kNonce, package));
  EXPECT_FALSE(holds(kNonce, package + "1"));
  EXPECT_FALSE(holds("another", package));
}

}  // namespace
}  // namespace finality::sandbox
