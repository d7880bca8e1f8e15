#include "channel/alipay/signature.h"

#include <gtest/gtest.h>

#include <set>

#include "channel/alipay/testing/test_gateway.h"

namespace finality::alipay {
namespace {

using alipay_test::text_of;
using alipay_test::vectors;

Parameters parameters_of(const boost::json::value& vector) {
  Parameters parameters;
  for (const auto& [name, value] : vector.at("parameters").as_object())
    parameters.emplace(std::string(name), text_of(value));
  return parameters;
}

AlipayKeys keys_of(const boost::json::value& vector) {
  AlipayKeys keys{.own = alipay_test::merchant_key()};
  keys.alipay.emplace("", *RsaPublicKey::parse(text_of(vector.at("public_key"))));
  return keys;
}

TEST(AlipaySignature, MatchesAlipaysOwnSdk) {
  for (const auto& vector : vectors().at("notifications").as_array())
    EXPECT_EQ(text_to_sign(parameters_of(vector), vector.at("with_sign_type").as_bool()),
              text_of(vector.at("signed_text")));
}

TEST(AlipaySignature, AcceptsRealNotificationsOfBothRules) {
  std::set<std::string> rules;
  for (const auto& vector : vectors().at("notifications").as_array()) {
    rules.insert(text_of(vector.at("rule")));
    const auto checked = check_notification(keys_of(vector), parameters_of(vector));
    EXPECT_TRUE(checked) << checked.error().message;
  }
  EXPECT_EQ(rules, (std::set<std::string>{"v1", "v2"}));
}

TEST(AlipaySignature, ARealNotificationWithOneChangeIsRejected) {
  for (const auto& vector : vectors().at("notifications").as_array()) {
    const AlipayKeys keys = keys_of(vector);
    const Parameters whole = parameters_of(vector);
    for (const auto& [name, value] : whole) {
      Parameters changed = whole;
      changed[name] += "0";
      EXPECT_FALSE(check_notification(keys, changed)) << name;
      if (name == "sign_type" && text_of(vector.at("rule")) == "v1") continue;  // rule V1 does not sign sign_type
      changed.erase(name);
      EXPECT_FALSE(check_notification(keys, changed)) << name;
    }
    Parameters more = whole;
    more["zzz"] = "1";
    EXPECT_FALSE(check_notification(keys, more));
    EXPECT_FALSE(check_notification(alipay_test::keys_for(alipay_test::Mode::public_key), whole));
  }
}

// Two sets of parameters yield the signed text a=1&b=2: a and b, or one parameter a with the value "1&b=2".
TEST(AlipaySignature, AnAmbiguousTextIsRejected) {
  const AlipayKeys keys = alipay_test::keys_for(alipay_test::Mode::public_key);
  Parameters whole{{"gmt_payment", "2026-09-21 22:13:15"}, {"refund_fee", "10.00"}, {"subject", "tea & honey"}};
  whole["sign"] = alipay_test::signature_of(text_to_sign(whole));
  ASSERT_TRUE(check_notification(keys, whole));
  Parameters merged = whole;
  merged["gmt_payment"] += "&refund_fee=" + merged.extract("refund_fee").mapped();
  ASSERT_EQ(text_to_sign(merged), text_to_sign(whole));
  EXPECT_FALSE(check_notification(keys, merged));
}

TEST(AlipaySignature, AnOldSignTypeIsRejected) {
  alipay_test::Form form = alipay_test::paid_form("1");
  form["sign_type"] = "RSA";
  Parameters parameters(form.begin(), form.end());
  parameters["sign"] = alipay_test::signature_of(alipay_test::text_to_sign(form, false));
  EXPECT_FALSE(check_notification(alipay_test::keys_for(alipay_test::Mode::public_key), parameters));
}

TEST(AlipaySignature, EveryKeyOfAlipaysMayHaveSignedANotification) {
  AlipayKeys keys = alipay_test::keys_for(alipay_test::Mode::certificates);
  keys.alipay.emplace("another", alipay_test::another_key().public_key());
  for (const RsaPrivateKey& key : {alipay_test::alipay_key(), alipay_test::another_key()}) {
    const Parameters parameters{{"a", "1"}, {"sign", alipay_test::signature_of("a=1", key)}};
    EXPECT_TRUE(check_notification(keys, parameters));
  }
}

TEST(AlipaySignature, EmptyValuesAreNotSignedAndNamesAreSortedByByte) {
  EXPECT_EQ(text_to_sign({{"b", "2"}, {"a", "1"}, {"B", "3"}, {"c", ""}, {"sign", "x"}, {"sign_type", "RSA2"}}),
            "B=3&a=1&b=2&sign_type=RSA2");
}

TEST(AlipaySignature, ASignatureHasOneValidSpelling) {
  const std::string signature = alipay_test::signature_of("a=1");
  const RsaPublicKey key = alipay_test::alipay_key().public_key();
  ASSERT_TRUE(is_signed_by(key, "a=1", signature));
  ASSERT_TRUE(signature.ends_with("=="));
  std::string other = signature;
  char& last = other[other.size() - 3];  // the character before the padding: only two of its six bits are used
  last = static_cast<char>(last + 1);
  EXPECT_FALSE(is_signed_by(key, "a=1", other));
  EXPECT_FALSE(is_signed_by(key, "a=1", signature + "AAAA"));
  EXPECT_FALSE(is_signed_by(key, "a=1", " " + signature));
  EXPECT_FALSE(is_signed_by(key, "a=1", ""));
}

}  // namespace
}  // namespace finality::alipay
