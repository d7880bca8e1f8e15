#include "channel/wechatpay/signature.h"

#include <gtest/gtest.h>

#include "channel/wechatpay/testing/test_vectors.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

constexpr Time kNow{1'790'000'000'000};

PlatformKeys platform() {
  PlatformKeys keys;
  keys.add(kPublicKeyId, platform_key().public_key());
  return keys;
}

net::Headers signed_headers(std::string_view body, Time at = kNow, const SignedBy& by = {}) {
  net::Headers headers;
  sign(headers, body, at, by);
  return headers;
}

std::vector<std::string> lines_of(const std::string& message) {
  std::vector<std::string> lines;
  std::istringstream in(message);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(WechatpaySignature, MatchesTheExamplesOnWechatsPages) {
  const auto key = RsaPrivateKey::parse(Secret(vector_text("/wechat_doc/private_key_pem")));
  ASSERT_TRUE(key) << key.error().message;
  const json::array& cases = vectors().at("wechat_doc").at("cases").as_array();
  ASSERT_EQ(cases.size(), 4U);
  for (const json::value& test_case : cases) {
    const std::string message(test_case.at("message").as_string());
    const std::string signature(test_case.at("signature").as_string());
    const std::vector<std::string> lines = lines_of(message);
    const std::string name(test_case.at("name").as_string());
    if (lines.size() == 5) {
      EXPECT_EQ(sign_lines(*key, {lines[0], lines[1], lines[2], lines[3], lines[4]}), signature) << name;
    } else {
      ASSERT_EQ(lines.size(), 4U) << name;
      EXPECT_EQ(sign_lines(*key, {lines[0], lines[1], lines[2], lines[3]}), signature) << name;
    }
  }
}

TEST(WechatpaySignature, MatchesTheOfficialSdks) {
  const auto go = RsaPrivateKey::parse(Secret(vector_text("/wechatpay_go_signer/private_key_pem")));
  ASSERT_TRUE(go);
  EXPECT_EQ(to_base64(go->sign(vector_text("/wechatpay_go_signer/message"))),
            vector_text("/wechatpay_go_signer/signature"));
  const auto java = RsaPrivateKey::parse(Secret(vector_text("/wechatpay_java/rsa/private_key_pem")));
  ASSERT_TRUE(java);
  EXPECT_EQ(to_base64(java->sign(vector_text("/wechatpay_java/rsa/message"))),
            vector_text("/wechatpay_java/rsa/signature"));
  const auto certificate = Certificate::parse(vector_text("/wechatpay_java/rsa/certificate_pem"));
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->serial_hex(), vector_text("/wechatpay_java/rsa/serial"));
  EXPECT_TRUE(certificate->public_key()->verifies(vector_text("/wechatpay_java/rsa/message"),
                                                  *from_base64(vector_text("/wechatpay_java/rsa/signature"))));
}

class WechatpayGoNotify : public testing::Test {
 protected:
  WechatpayGoNotify() {
    const auto certificate = Certificate::parse(vector_text("/wechatpay_go_notify/certificate_pem"));
    EXPECT_TRUE(keys_.add(*certificate).has_value());
    for (const auto& [name, value] : vectors().at("wechatpay_go_notify").at("headers").as_object())
      headers_.add(std::string(name), std::string(value.as_string()));
  }

  PlatformKeys keys_;
  net::Headers headers_;
  std::string body_ = vector_text("/wechatpay_go_notify/body");
  Time then_{1'624'523'846'000};
};

TEST_F(WechatpayGoNotify, ARealNotificationVerifies) {
  const auto head = check_signature(keys_, headers_, body_, then_);
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->serial, "D7CE59D1F522D701");
  EXPECT_FALSE(check_signature(keys_, headers_, body_ + " ", then_));
  EXPECT_FALSE(check_signature(keys_, headers_, body_, then_ + std::chrono::seconds(301)));
}

TEST_F(WechatpayGoNotify, SerialsCompareWithoutCaseAndLeadingZeros) {
  for (const char* serial : {"d7ce59d1f522d701", "00D7CE59D1F522D701"})
    EXPECT_TRUE(check_signature(keys_, with(headers_, "Wechatpay-Serial", serial), body_, then_)) << serial;
}

TEST_F(WechatpayGoNotify, AnExpiredCertificateVerifiesNothing) {
  const Time later{4'000'000'000'000};
  EXPECT_EQ(keys_.find("D7CE59D1F522D701", later), nullptr);
  EXPECT_NE(keys_.find("D7CE59D1F522D701", then_), nullptr);
}

TEST(WechatpaySignature, EveryPartIsVerified) {
  const std::string body = R"({"a":1})";
  const net::Headers good = signed_headers(body);
  ASSERT_TRUE(check_signature(platform(), good, body, kNow));
  for (const char* name : {"Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature"}) {
    EXPECT_FALSE(check_signature(platform(), without(good, name), body, kNow)) << name;
    EXPECT_FALSE(check_signature(platform(), with(good, name, ""), body, kNow)) << name;
    EXPECT_FALSE(check_signature(platform(), with(good, name, "1790000001"), body, kNow)) << name;
  }
  EXPECT_FALSE(check_signature(platform(), good, R"({"a":2})", kNow));
  EXPECT_FALSE(check_signature(platform(), signed_headers(body, kNow, {.key = &other_key()}), body, kNow));
  EXPECT_FALSE(check_signature(platform(), signed_headers(body, kNow, {.serial = "PUB_KEY_ID_2"}), body, kNow));
  EXPECT_FALSE(check_signature({}, good, body, kNow));
  EXPECT_TRUE(check_signature(platform(), without(good, "Wechatpay-Signature-Type"), body, kNow));
  EXPECT_FALSE(
      check_signature(platform(), with(good, "Wechatpay-Signature-Type", "WECHATPAY2-SM2-WITH-SM3"), body, kNow));
}

TEST(WechatpaySignature, ASignatureProbeIsRejected) {
  const net::Headers good = signed_headers("{}");
  const std::string signature(good.get("Wechatpay-Signature"));
  for (const std::string& probe : {"WECHATPAY/SIGNTEST/" + signature, "WECHATPAY/SIGNTEST/" + signature.substr(19),
                                   std::string("WECHATPAY/SIGNTEST/")})
    EXPECT_FALSE(check_signature(platform(), with(good, "Wechatpay-Signature", probe), "{}", kNow)) << probe;
}

TEST(WechatpaySignature, OldAndFutureTimestampsAreRejected) {
  for (const int seconds : {-301, 301, -100'000, 100'000}) {
    const Time at = kNow + std::chrono::seconds(seconds);
    EXPECT_FALSE(check_signature(platform(), signed_headers("", at), "", kNow)) << seconds;
  }
  for (const int seconds : {-300, 0, 300}) {
    const Time at = kNow + std::chrono::seconds(seconds);
    EXPECT_TRUE(check_signature(platform(), signed_headers("", at), "", kNow)) << seconds;
  }
}

TEST(WechatpaySignature, ATimestampHasOneValidSpelling) {
  for (const char* timestamp : {"+1790000000", " 1790000000", "1790000000.0", "0x6ab1", "99999999999999999999", "-1"}) {
    const std::string text = std::string(timestamp) + "\nn\nbody\n";
    net::Headers headers = with(signed_headers("body"), "Wechatpay-Timestamp", timestamp);
    headers = with(headers, "Wechatpay-Nonce", "n");
    headers = with(headers, "Wechatpay-Signature", to_base64(platform_key().sign(text)));
    EXPECT_FALSE(check_signature(platform(), headers, "body", kNow)) << timestamp;
  }
}

// A line break in a nonce would shift the lines of the signed text, so that different messages have the same text.
TEST(WechatpaySignature, ANonceWithALineBreakIsRejected) {
  const std::string text = "1790000000\nn\nfirst\nsecond\n";
  net::Headers headers = signed_headers("");
  headers = with(headers, "Wechatpay-Signature", to_base64(platform_key().sign(text)));
  EXPECT_TRUE(check_signature(platform(), with(headers, "Wechatpay-Nonce", "n"), "first\nsecond", kNow));
  EXPECT_FALSE(check_signature(platform(), with(headers, "Wechatpay-Nonce", "n\nfirst"), "second", kNow));
}

TEST(WechatpaySignature, ErrorsDoNotContainSecrets) {
  const net::Headers headers = signed_headers("{}", kNow, {.key = &other_key()});
  const auto refused = check_signature(platform(), headers, "{}", kNow);
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().message.contains(std::string(headers.get("Wechatpay-Signature"))));
}

TEST(PlatformKeys, AddingKeepsTheExistingKeyOfAnId) {
  PlatformKeys own = platform();
  PlatformKeys others;
  others.add(kPublicKeyId, other_key().public_key());
  others.add("PUB_KEY_ID_2", other_key().public_key());
  own.add(others);
  EXPECT_TRUE(check_signature(own, signed_headers(""), "", kNow));
  EXPECT_NE(own.find("PUB_KEY_ID_2", kNow), nullptr);
  EXPECT_EQ(own.find("", kNow), nullptr);
  EXPECT_EQ(own.find("0", kNow), nullptr);
}

}  // namespace
}  // namespace finality::wechatpay
