#include "base/crypto/certificate.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <iterator>

#include "base/crypto/encoding.h"
#include "base/testing/source_dir.h"

namespace finality {
namespace {

// Reads a certificate from the test data of Alipay's SDK. `openssl x509` printed the expected values of the tests.
std::string text_of(std::string_view name) {
  std::ifstream file(source_dir() + "/tests/vectors/alipay.json");
  const auto vectors = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  return std::string(vectors.at("certificates").at(name).as_string());
}

TEST(Certificate, ReportsSerialIssuerAndValidity) {
  const auto certificate = Certificate::parse(text_of("app"));
  ASSERT_TRUE(certificate) << certificate.error().message;
  EXPECT_EQ(certificate->serial_hex(), "2020051862039D4090897BA4D51C2126");
  EXPECT_EQ(certificate->serial_decimal(), "42701552708448241360226107228231049510");
  EXPECT_EQ(certificate->issuer(),
            "CN=Ant Financial Certification Authority Class 1 R1,OU=Certification Authority,O=Ant Financial,C=CN");
  EXPECT_EQ(to_rfc3339(certificate->not_before()), "2020-05-18T05:28:47.000Z");
  EXPECT_EQ(to_rfc3339(certificate->not_after()), "2022-05-18T05:28:47.000Z");
  EXPECT_TRUE(certificate->is_signed_with_rsa());
  const auto key = certificate->public_key();
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(RsaPublicKey::parse(text_of("app"))->to_pem(), key->to_pem());
}

TEST(Certificate, ABundleIsReadInOrderForAnyKeyTypes) {
  const auto roots = Certificate::parse_all(text_of("roots"));
  ASSERT_TRUE(roots) << roots.error().message;
  ASSERT_EQ(roots->size(), 4u);
  struct Root {
    const char* serial;
    const char* issuer;
    bool rsa;
  };
  const Root expected[] = {
      {"69E2FEC0170AC67B", "CN=ROOTCA,O=NRCAC,C=CN", false},  // SM2
      {"1FCFA18D6A480D11",
       "CN=Ant Financial Certification Authority R1,OU=Certification Authority,O=Ant Financial,C=CN", true},
      {"417EFA52C07FDF4A",
       "CN=Ant Financial Certification Authority E1,OU=Certification Authority,O=Ant Financial,C=CN", false},
      {"10C764E9D560384212D9C08FD10E373FDD0FB396",
       "CN=iTrusChina Class 2 Root CA - G3,OU=China Trust Network,O=iTrusChina,C=CN", true}};
  for (std::size_t i = 0; i < roots->size(); ++i) {
    EXPECT_EQ((*roots)[i].serial_hex(), expected[i].serial);
    EXPECT_EQ((*roots)[i].issuer(), expected[i].issuer);
    EXPECT_EQ((*roots)[i].is_signed_with_rsa(), expected[i].rsa) << i;
    EXPECT_EQ((*roots)[i].public_key().has_value(), expected[i].rsa) << i;
  }
}

TEST(Certificate, TextWithoutACertificateIsRejected) {
  const std::string whole = text_of("app");
  for (const std::string& text : {std::string(), std::string("hello"), whole.substr(0, whole.size() / 2),
                                  std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")}) {
    EXPECT_FALSE(Certificate::parse(text)) << text;
    EXPECT_FALSE(Certificate::parse_all(text)) << text;
  }
}

TEST(Certificate, ABundleWithAnInvalidCertificateIsRejected) {
  const std::string broken = "\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const std::string half = text_of("app").substr(0, 500);
  EXPECT_FALSE(Certificate::parse_all(text_of("app") + broken));
  EXPECT_FALSE(Certificate::parse_all(broken + text_of("app")));
  EXPECT_FALSE(Certificate::parse_all(text_of("app") + "\n" + half));
  const auto sound = Certificate::parse_all(text_of("app") + "\nwords between\n" + text_of("alipay") + "\n\n");
  ASSERT_TRUE(sound) << sound.error().message;
  EXPECT_EQ(sound->size(), 2u);
}

TEST(Certificate, AnEncryptedCertificateIsRejectedWithoutAPrompt) {
  const std::string headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00000000000000000000000000000000\n\n";
  std::string text = text_of("app");
  text.insert(text.find('\n') + 1, headers);
  EXPECT_FALSE(Certificate::parse(text));
}

TEST(Certificate, ACertificateWithAnInvalidTimeIsRejected) {
  const auto pem_of = [](std::string der) {
    return "-----BEGIN CERTIFICATE-----\n" + to_base64(der) + "\n-----END CERTIFICATE-----\n";
  };
  std::string text = text_of("app");
  const std::size_t from = text.find('\n') + 1;
  std::string base64 = text.substr(from, text.rfind("-----END") - from);
  std::erase(base64, '\n');
  std::string der = *from_base64(base64);
  ASSERT_TRUE(Certificate::parse(pem_of(der)));
  der.replace(der.find("200518052847Z"), 4, "2013");  // an invalid month: 13
  EXPECT_FALSE(Certificate::parse(pem_of(der)));
}

}  // namespace
}  // namespace finality
