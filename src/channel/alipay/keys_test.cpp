#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/crypto/legacy_digest.h"
#include "channel/alipay/certificate.h"
#include "channel/alipay/testing/test_gateway.h"

namespace finality {
namespace {

using alipay_test::text_of;

boost::json::object certificates() { return alipay_test::vectors().at("certificates").as_object(); }

TEST(AlipayCertificate, NumbersMatchAlipaysOwnSdk) {
  const auto texts = certificates();
  EXPECT_EQ(alipay::certificate_number(*Certificate::parse(text_of(texts.at("app")))), text_of(texts.at("app_number")));
  EXPECT_EQ(alipay::certificate_number(*Certificate::parse(text_of(texts.at("alipay")))),
            text_of(texts.at("alipay_number")));
  EXPECT_EQ(alipay::roots_number(*Certificate::parse_all(text_of(texts.at("roots")))),
            text_of(texts.at("roots_number")));
}

// Returns a self-signed certificate of `key`, in PEM.
std::string certificate_of(const RsaPrivateKey& key, long serial) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.handle());
  const auto* name = reinterpret_cast<const unsigned char*>("test");
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC, name, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  X509_sign(certificate.get(), key.handle(), EVP_sha256());
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(out.get(), certificate.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

TEST(AlipayKeys, CertificateModeNamesAllCertificates) {
  const auto texts = certificates();
  const std::string app = certificate_of(alipay_test::merchant_key(), 11);
  const std::string one = certificate_of(alipay_test::alipay_key(), 12);
  const std::string other = certificate_of(alipay_test::another_key(), 13);
  const auto keys = read_alipay_keys({.private_key = alipay_test::merchant_key().to_pem(),
                                      .app_certificate = app,
                                      .alipay_certificates = one + other,
                                      .root_certificates = text_of(texts.at("roots")) + "\n" + one + other});
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->app_cert_sn, md5_hex("CN=test11"));
  EXPECT_EQ(keys->root_cert_sn,
            text_of(texts.at("roots_number")) + '_' + md5_hex("CN=test12") + '_' + md5_hex("CN=test13"));
  ASSERT_EQ(keys->alipay.size(), 2u);
  EXPECT_EQ(keys->alipay.at(md5_hex("CN=test12")).to_pem(), alipay_test::alipay_key().public_key().to_pem());
  EXPECT_EQ(keys->alipay.at(md5_hex("CN=test13")).to_pem(), alipay_test::another_key().public_key().to_pem());
}

TEST(AlipayKeys, CertificatesNotIssuedUnderTheRootsAreRejected) {
  const auto texts = certificates();
  const std::string app = certificate_of(alipay_test::merchant_key(), 11);
  const auto read = [&](const std::string& certificates_of_alipay, const std::string& roots) {
    const auto keys = read_alipay_keys({.private_key = alipay_test::merchant_key().to_pem(),
                                        .app_certificate = app,
                                        .alipay_certificates = certificates_of_alipay,
                                        .root_certificates = roots});
    return keys ? "" : keys.error().message;
  };
  const std::string alipay_text = text_of(texts.at("alipay")) + "\n";
  const std::string roots = text_of(texts.at("roots")) + "\n";
  const std::string refuted = "alipay_certificates: a certificate in it was not issued under any of the root";
  const std::string one = certificate_of(alipay_test::alipay_key(), 12);
  const std::string namesake = certificate_of(alipay_test::another_key(), 13);
  EXPECT_EQ(read(alipay_text, roots), "") << "as Alipay distributes them, without the intermediate certificate";
  EXPECT_EQ(read(one, roots + one), "");
  EXPECT_TRUE(read(one, roots).starts_with(refuted)) << "self-signed";
  EXPECT_TRUE(read(one, roots + namesake).starts_with(refuted)) << "another issuer with the same name";
  EXPECT_TRUE(read(alipay_text + one, roots).starts_with(refuted)) << "one of two";
  EXPECT_EQ(read(app, roots + app), "alipay_certificates: this is the application's own certificate, not Alipay's");
}

TEST(AlipayKeys, CertificateModeNeedsRootsSignedWithRsa) {
  const std::string roots = text_of(certificates().at("roots"));
  const std::string sm2 = roots.substr(0, roots.find("-----BEGIN", 1));
  const auto keys = read_alipay_keys({.private_key = alipay_test::merchant_key().to_pem(),
                                      .app_certificate = certificate_of(alipay_test::merchant_key(), 11),
                                      .alipay_certificates = certificate_of(alipay_test::alipay_key(), 12),
                                      .root_certificates = sm2});
  ASSERT_FALSE(keys);
  EXPECT_TRUE(keys.error().message.contains("root"));
}

TEST(AlipayKeys, PublicKeyModeAcceptsBothFormsOfAKey) {
  const std::string pem = alipay_test::alipay_key().public_key().to_pem();
  const std::size_t from = pem.find('\n') + 1;
  for (const std::string& text : {pem, pem.substr(from, pem.rfind("-----END") - from)}) {
    const auto keys =
        read_alipay_keys({.private_key = alipay_test::merchant_key().to_pem(), .alipay_public_key = text});
    ASSERT_TRUE(keys) << keys.error().message;
    EXPECT_TRUE(keys->app_cert_sn.empty() && keys->root_cert_sn.empty());
    ASSERT_EQ(keys->alipay.size(), 1u);
    EXPECT_EQ(keys->alipay.at("").to_pem(), pem);
  }
}

TEST(AlipayKeys, ErrorsNameTheMissingOrSuperfluousText) {
  const auto texts = certificates();
  const Secret own = alipay_test::merchant_key().to_pem();
  const std::string alipay_text = alipay_test::alipay_key().public_key().to_pem();
  const std::string app = text_of(texts.at("app"));
  const std::string alipay = text_of(texts.at("alipay"));
  const std::string roots = text_of(texts.at("roots"));
  struct Case {
    AlipayKeyTexts texts;
    const char* error;
  };
  const Case cases[] = {
      {{Secret("x"), alipay_text, "", "", ""}, "private_key: "},
      {{own, "", "", "", ""}, "either"},
      {{own, alipay_text, app, alipay, roots}, "either"},
      {{own, "x", "", "", ""}, "alipay_public_key: "},
      {{own, own.reveal(), "", "", ""}, "alipay_public_key: "},
      {{own, alipay_test::merchant_key().public_key().to_pem(), "", "", ""},
       "alipay_public_key: this is the application's own public key"},
      {{own, "", "x", alipay, roots}, "app_certificate: "},
      {{own, "", app, alipay, roots}, "does not match the private key"},
  };
  for (const Case& row : cases) {
    const auto keys = read_alipay_keys(row.texts);
    ASSERT_FALSE(keys) << row.error;
    EXPECT_TRUE(keys.error().message.contains(row.error)) << keys.error().message;
    EXPECT_FALSE(keys.error().message.contains("BEGIN"));
  }
}

}  // namespace
}  // namespace finality
