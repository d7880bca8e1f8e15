#include "base/crypto/rsa.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <iterator>

#include "base/crypto/encoding.h"
#include "base/testing/source_dir.h"

namespace finality {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string written(auto write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  write(out.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pkcs8_of(EVP_PKEY* key, const EVP_CIPHER* cipher = nullptr) {
  return written([&](BIO* out) {
    PEM_write_bio_PKCS8PrivateKey(out, key, cipher, cipher != nullptr ? "secret" : nullptr, cipher != nullptr ? 6 : 0,
                                  nullptr, nullptr);
  });
}

std::string public_pem_of(EVP_PKEY* key) {
  return written([&](BIO* out) { PEM_write_bio_PUBKEY(out, key); });
}

// Returns the base64 between the PEM header and footer, as a console shows it.
std::string without_frame(const std::string& pem) {
  const std::size_t from = pem.find('\n') + 1;
  return pem.substr(from, pem.rfind("-----END") - from);
}

const RsaPrivateKey& own_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}

TEST(Rsa, VerifiesASignatureOfAlipay) {
  std::ifstream file(source_dir() + "/tests/vectors/alipay.json");
  const auto vectors = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  const auto& first = vectors.at("notifications").at(0);
  const auto key = RsaPublicKey::parse(std::string(first.at("public_key").as_string()));
  ASSERT_TRUE(key) << key.error().message;
  const std::string text(first.at("signed_text").as_string());
  const auto signature = from_base64(std::string(first.at("parameters").at("sign").as_string()));
  ASSERT_TRUE(signature);
  EXPECT_TRUE(key->verifies(text, *signature));
  EXPECT_FALSE(key->verifies(text + " ", *signature));
  EXPECT_FALSE(key->verifies(text, signature->substr(1)));
  EXPECT_FALSE(key->verifies(text, ""));
  EXPECT_FALSE(own_key().public_key().verifies(text, *signature));
}

TEST(Rsa, VerifiesItsOwnSignatureAndNoOther) {
  const std::string signature = own_key().sign("text");
  EXPECT_EQ(signature.size(), 256u);
  EXPECT_EQ(own_key().sign("text"), signature) << "PKCS#1 v1.5 has no randomness";
  const RsaPublicKey other = own_key().public_key();
  EXPECT_TRUE(other.verifies("text", signature));
  EXPECT_FALSE(other.verifies("Text", signature));
  std::string broken = signature;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    broken[i] = static_cast<char>(broken[i] ^ 1);
    EXPECT_FALSE(other.verifies("text", broken)) << i;
    broken[i] = signature[i];
  }
}

TEST(Rsa, ReadsEveryFormOfAPrivateKey) {
  const std::string pkcs8 = own_key().to_pem().reveal();
  const std::string pkcs1 = written([](BIO* out) {
    PEM_write_bio_PrivateKey_traditional(out, own_key().handle(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  ASSERT_TRUE(pkcs1.starts_with("-----BEGIN RSA PRIVATE KEY-----"));
  for (const std::string& text : {pkcs8, pkcs1, without_frame(pkcs8), without_frame(pkcs1), "\n" + pkcs8}) {
    const auto key = RsaPrivateKey::parse(Secret(text));
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_EQ(key->sign("text"), own_key().sign("text"));
  }
}

TEST(Rsa, ReadsEveryFormOfAPublicKey) {
  const std::string pem = own_key().public_key().to_pem();
  for (const std::string& text : {pem, without_frame(pem), "\n" + pem}) {
    const auto key = RsaPublicKey::parse(text);
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_EQ(key->to_pem(), pem);
  }
}

TEST(Rsa, RejectsInvalidTextWithoutRepeatingItInTheError) {
  const std::string whole = own_key().to_pem().reveal();
  const std::string encrypted = pkcs8_of(own_key().handle(), EVP_aes_256_cbc());
  ASSERT_TRUE(encrypted.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
  for (const std::string& text : {std::string(), std::string("hello"), whole.substr(0, whole.size() / 2), encrypted,
                                  own_key().public_key().to_pem(), std::string("AAAA"), std::string(10'000, 'A')}) {
    const auto key = RsaPrivateKey::parse(Secret(text));
    ASSERT_FALSE(key) << text;
    EXPECT_TRUE(text.size() < 6 || !key.error().message.contains(text.substr(0, 6))) << key.error().message;
  }
  for (const std::string& text : {std::string(), std::string("hello"), std::string("-----BEGIN PUBLIC KEY-----"),
                                  std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), whole})
    EXPECT_FALSE(RsaPublicKey::parse(text)) << text;
}

// A damaged key file can still be parsed. The key must then be rejected, because its signatures do not verify.
TEST(Rsa, RejectsAPrivateKeyWithInconsistentNumbers) {
  std::string compact = without_frame(own_key().to_pem().reveal());
  std::erase(compact, '\n');
  const std::string whole = *from_base64(compact);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 3);
    const auto key = RsaPrivateKey::parse(Secret(to_base64(damaged)));
    if (key) ASSERT_TRUE(key->public_key().verifies("text", key->sign("text"))) << at;
  }
}

TEST(Rsa, RejectsShortKeys) {
  const Key small(EVP_RSA_gen(1024), EVP_PKEY_free);
  const auto own = RsaPrivateKey::parse(Secret(pkcs8_of(small.get())));
  ASSERT_FALSE(own);
  EXPECT_TRUE(own.error().message.contains("1024 bits")) << own.error().message;
  const auto theirs = RsaPublicKey::parse(public_pem_of(small.get()));
  ASSERT_FALSE(theirs);
  EXPECT_TRUE(theirs.error().message.contains("1024 bits")) << theirs.error().message;
}

TEST(Rsa, RejectsKeysOfOtherAlgorithms) {
  const Key curve(EVP_EC_gen("P-256"), EVP_PKEY_free);
  EXPECT_FALSE(RsaPrivateKey::parse(Secret(pkcs8_of(curve.get()))));
  EXPECT_FALSE(RsaPublicKey::parse(public_pem_of(curve.get())));
}

}  // namespace
}  // namespace finality
