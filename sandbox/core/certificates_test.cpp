#include "sandbox/core/certificates.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/crypto/random.h"

namespace finality::sandbox {
namespace {

const CertificateName kRoot{.country = "CN", .organization = "Root", .unit = "Signing", .common_name = "Root CA"};
const CertificateName kLeaf{.country = "CN", .organization = "Shop", .unit = "", .common_name = "茶"};

using X509Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

X509Certificate parse(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                      BIO_free);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free};
}

// Verifies with OpenSSL that `root` issued `certificate` and that both are valid at `at`.
bool is_issued_by(const std::string& certificate, const std::string& root, Time at) {
  const X509Certificate trusted = parse(root);
  const X509Certificate leaf = parse(certificate);
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(), X509_STORE_free);
  X509_STORE_add_cert(store.get(), trusted.get());
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(X509_STORE_CTX_new(),
                                                                                X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_time(context.get(), 0, at.ms / 1000);
  return X509_verify_cert(context.get()) == 1;
}

class CertificatesTest : public testing::Test {
 protected:
  CertificatesTest() { std::filesystem::create_directories(directory_); }
  ~CertificatesTest() override { std::filesystem::remove_all(directory_); }

  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t count_of_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("finality-certificates-" + random_hex(8));
  Time from_ = *parse_rfc3339("2026-11-21T08:00:00Z");
};

TEST_F(CertificatesTest, ALeafIsVerifiedOnlyByItsRoot) {
  const Identity root = make_root(kRoot, from_, 20);
  const Identity other = make_root(kRoot, from_, 20);
  const Identity leaf = make_identity(kLeaf, root, from_, 5);
  const Time later = from_ + std::chrono::hours(1);
  EXPECT_TRUE(is_issued_by(leaf.certificate, root.certificate, later));
  EXPECT_FALSE(is_issued_by(leaf.certificate, other.certificate, later));
  EXPECT_FALSE(is_issued_by(leaf.certificate, root.certificate, from_ + std::chrono::days(6 * 365)));
  EXPECT_FALSE(is_issued_by(leaf.certificate, root.certificate, from_ - std::chrono::hours(1)));
}

TEST_F(CertificatesTest, ACertificateHoldsItsKeyNameSerialAndValidity) {
  const Identity root = make_root(kRoot, from_, 20);
  const Identity leaf = make_identity(kLeaf, root, from_, 5);
  const auto read = Certificate::parse(leaf.certificate);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->serial_hex().size(), 40u);
  EXPECT_TRUE(std::ranges::all_of(read->serial_hex(), [](char c) { return std::isxdigit(c) && !std::islower(c); }));
  EXPECT_EQ(read->issuer(), "CN=Root CA,OU=Signing,O=Root,C=CN");
  EXPECT_TRUE(read->is_signed_with_rsa());
  EXPECT_EQ(read->not_before(), from_);
  EXPECT_EQ(read->not_after(), from_ + std::chrono::days(5 * 365));
  EXPECT_TRUE(read->public_key()->verifies("tea", leaf.key.sign("tea")));
  EXPECT_FALSE(read->public_key()->verifies("tea", root.key.sign("tea")));
}

TEST_F(CertificatesTest, AnExistingFileIsNotReplaced) {
  const auto file = directory_ / "secret";
  const auto first = read_or_make(file, [] { return Secret("one"); });
  const auto second = read_or_make(file, [] { return Secret("two"); });
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->reveal(), "one");
  EXPECT_EQ(text_of(file), "one");
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(count_of_files(), 1u) << "a temporary file was left";
}

TEST_F(CertificatesTest, ConcurrentCallersGetTheSameFile) {
  std::vector<std::string> got(8);
  {
    std::vector<std::jthread> askers;
    for (std::size_t i = 0; i < got.size(); ++i)
      askers.emplace_back([&, i] {
        const auto answer = read_or_make(directory_ / "secret", [i] { return Secret("of " + std::to_string(i)); });
        if (answer) got[i] = answer->reveal();
      });
  }
  EXPECT_EQ(std::set<std::string>(got.begin(), got.end()).size(), 1u);
  EXPECT_EQ(got[0], text_of(directory_ / "secret"));
  EXPECT_EQ(count_of_files(), 1u);
}

TEST_F(CertificatesTest, AnIdentityIsReadBackUnchanged) {
  int made = 0;
  const auto make = [&] {
    ++made;
    return make_root(kRoot, from_, 1);
  };
  const auto first = read_or_make_identity(directory_, "channel", make);
  const auto second = read_or_make_identity(directory_, "channel", make);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(second->certificate, first->certificate);
  EXPECT_EQ(second->key.to_pem(), first->key.to_pem());
  // If one of the two files is missing, both are generated again, because the certificate must match the key.
  std::filesystem::remove(directory_ / "channel_private_key.pem");
  const auto third = read_or_make_identity(directory_, "channel", make);
  ASSERT_TRUE(third);
  EXPECT_EQ(made, 2);
  EXPECT_TRUE(Certificate::parse(third->certificate)->public_key()->verifies("tea", third->key.sign("tea")));
}

TEST_F(CertificatesTest, ErrorsNameTheFile) {
  std::ofstream(directory_ / "broken.pem") << "no key";
  const auto broken = read_or_make_key(directory_ / "broken.pem");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.contains("broken.pem")) << broken.error().message;
  const auto missing = read_or_make_key(directory_ / "missing" / "key.pem");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.contains("missing")) << missing.error().message;
  std::ofstream(directory_ / "half_private_key.pem") << "no key";
  std::ofstream(directory_ / "half_certificate.pem") << "no certificate";
  EXPECT_FALSE(read_or_make_identity(directory_, "half", [&] { return make_root(kRoot, from_, 1); }));
  EXPECT_EQ(text_of(directory_ / "half_private_key.pem"), "no key") << "an operator's file was overwritten";
}

TEST_F(CertificatesTest, AFileIsWrittenOnlyWhenItDiffers) {
  const auto file = directory_ / "public";
  ASSERT_TRUE(write_file(file, std::string("one")));
  const auto written_at = std::filesystem::last_write_time(file);
  ASSERT_TRUE(write_file(file, std::string("one")));
  EXPECT_EQ(std::filesystem::last_write_time(file), written_at);
  ASSERT_TRUE(write_file(file, std::string("two")));
  EXPECT_EQ(text_of(file), "two");
  EXPECT_FALSE(write_file(directory_ / "missing" / "public", std::string("one")));
}

TEST_F(CertificatesTest, ASecretIsReadableByItsOwnerOnly) {
  using enum std::filesystem::perms;
  ASSERT_TRUE(write_file(directory_ / "public", std::string("one")));
  ASSERT_TRUE(write_file(directory_ / "secret", Secret("one")));
  EXPECT_EQ(text_of(directory_ / "secret"), "one");
  EXPECT_EQ(std::filesystem::status(directory_ / "public").permissions(),
            owner_read | owner_write | group_read | others_read);
  EXPECT_EQ(std::filesystem::status(directory_ / "secret").permissions(), owner_read | owner_write);
}

}  // namespace
}  // namespace finality::sandbox
