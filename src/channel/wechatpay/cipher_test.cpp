#include "channel/wechatpay/cipher.h"

#include <gtest/gtest.h>

#include "channel/wechatpay/testing/test_vectors.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

TEST(WechatpayCipher, DecryptsResourcesOfTheOfficialSdk) {
  const json::object resource{{"algorithm", "AEAD_AES_256_GCM"},
                              {"ciphertext", vector_text("/wechatpay_java/aead/ciphertext_b64")},
                              {"associated_data", vector_text("/wechatpay_java/aead/associated_data")},
                              {"nonce", vector_text("/wechatpay_java/aead/nonce")}};
  const auto plain = decrypt(resource, Secret(vector_text("/wechatpay_java/apiv3_key")));
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(*plain, vector_text("/wechatpay_java/aead/plaintext"));
}

// The test of WeChat's Go SDK uses a key of 16 bytes (AES-128). Every APIv3 key of a merchant has 32 bytes.
TEST(WechatpayCipher, AKeyOf16BytesIsRejected) {
  const json::object body = json::parse(vector_text("/wechatpay_go_notify/body")).as_object();
  EXPECT_FALSE(decrypt(body.at("resource").as_object(), Secret(vector_text("/wechatpay_go_notify/key16"))));
}

TEST(WechatpayCipher, AssociatedDataMayBeEmptyOrMissing) {
  json::object resource = encrypted("plain", "");
  EXPECT_EQ(decrypt(resource, kApiV3Key).value(), "plain");
  resource.erase("associated_data");
  EXPECT_EQ(decrypt(resource, kApiV3Key).value(), "plain");
  resource["associated_data"] = nullptr;
  EXPECT_EQ(decrypt(resource, kApiV3Key).value(), "plain");
}

TEST(WechatpayCipher, AModifiedResourceIsRejected) {
  const json::object good = encrypted("plain", "transaction");
  ASSERT_EQ(decrypt(good, kApiV3Key).value(), "plain");
  EXPECT_FALSE(decrypt(good, Secret("fedcba9876543210fedcba9876543210")));
  const auto changed = [&](const char* name, json::value value) {
    json::object resource = good;
    resource[name] = std::move(value);
    return decrypt(resource, kApiV3Key).has_value();
  };
  const std::string cipher(good.at("ciphertext").as_string());
  EXPECT_FALSE(changed("associated_data", "Transaction"));
  EXPECT_FALSE(changed("associated_data", ""));
  EXPECT_FALSE(changed("associated_data", 1));
  EXPECT_FALSE(changed("associated_data", json::value(std::string(1000, 'a'))));
  EXPECT_FALSE(changed("nonce", "abcdefghijkl"));
  EXPECT_FALSE(changed("nonce", "abc"));
  EXPECT_FALSE(changed("algorithm", "AEAD_AES_128_GCM"));
  for (const char* name : {"ciphertext", "nonce", "algorithm"}) EXPECT_FALSE(changed(name, nullptr)) << name;
  EXPECT_FALSE(changed("ciphertext", "no base64!"));
  const std::string bytes = *from_base64(cipher);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(changed("ciphertext", json::value(to_base64(bytes.substr(0, size))))) << size;
}

TEST(WechatpayCipher, ErrorsDoNotContainTheSecret) {
  const auto refused = decrypt(encrypted("plain", "a", Secret("fedcba9876543210fedcba9876543210")), kApiV3Key);
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().message.contains(kApiV3Key.reveal()));
}

}  // namespace
}  // namespace finality::wechatpay
