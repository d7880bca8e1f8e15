#include "base/crypto/rsa.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/check.h"
#include "base/crypto/encoding.h"

namespace finality {
namespace {

constexpr int kBitsMin = 2048;

using Key = std::shared_ptr<EVP_PKEY>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Key own(EVP_PKEY* key) {
  ERR_clear_error();  // callers detect a parse error by the null pointer
  return {key, EVP_PKEY_free};
}

Bio reading(std::string_view text) { return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free}; }

std::string written(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool is_pem(std::string_view text) { return text.contains("-----BEGIN "); }

// Decodes base64, with or without line breaks, to DER. Returns empty if the text is not base64.
std::string bare_der(std::string_view text) {
  std::string compact;
  std::ranges::copy_if(text, std::back_inserter(compact), [](unsigned char c) { return std::isspace(c) == 0; });
  return from_base64(compact).value_or("");
}

int no_passphrase(char*, int, int, void*) { return -1; }

Key public_of_pem(std::string_view text) {
  if (!text.contains("-----BEGIN CERTIFICATE-----"))
    return own(PEM_read_bio_PUBKEY(reading(text).get(), nullptr, no_passphrase, nullptr));
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(reading(text).get(), nullptr, no_passphrase, nullptr), X509_free);
  return own(certificate ? X509_get_pubkey(certificate.get()) : nullptr);
}

Key public_of_der(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  return own(d2i_PUBKEY(nullptr, &bytes, static_cast<long>(der.size())));
}

Key private_of_der(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  return own(d2i_AutoPrivateKey(nullptr, &bytes, static_cast<long>(der.size())));
}

Result<Key> checked(Key key, std::string_view what) {
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA)
    return fail(fmt::format("not an RSA {} key: expected PEM text or base64-encoded DER", what));
  if (EVP_PKEY_get_bits(key.get()) < kBitsMin)
    return fail(
        fmt::format("the RSA {} key has {} bits; the minimum is {}", what, EVP_PKEY_get_bits(key.get()), kBitsMin));
  return key;
}

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Signs `data` with SHA256withRSA. Returns empty if the components of the key are inconsistent.
std::optional<std::string> signature_by(EVP_PKEY* key, std::string_view data) {
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key)), '\0');
  std::size_t size = signature.size();
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, data.size()) == 1;
  if (!done) {
    ERR_clear_error();
    return std::nullopt;
  }
  signature.resize(size);
  return signature;
}

}  // namespace

Result<RsaPublicKey> RsaPublicKey::parse(std::string_view text) {
  auto key = checked(is_pem(text) ? public_of_pem(text) : public_of_der(bare_der(text)), "public");
  if (!key) return std::unexpected(key.error());
  return RsaPublicKey(std::move(*key));
}

bool RsaPublicKey::verifies(std::string_view data, std::string_view signature) const {
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool genuine =
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
      EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                       reinterpret_cast<const unsigned char*>(data.data()), data.size()) == 1;
  ERR_clear_error();  // a failed verification adds an error to OpenSSL's queue
  return genuine;
}

std::string RsaPublicKey::to_pem() const {
  const Bio out(BIO_new(BIO_s_mem()), BIO_free);
  FINALITY_CHECK(PEM_write_bio_PUBKEY(out.get(), key_.get()) == 1, "OpenSSL cannot write a public key");
  return written(out.get());
}

Result<RsaPrivateKey> RsaPrivateKey::parse(const Secret& text) {
  const std::string& shown = text.reveal();
  auto key = checked(is_pem(shown) ? own(PEM_read_bio_PrivateKey(reading(shown).get(), nullptr, no_passphrase, nullptr))
                                   : private_of_der(bare_der(shown)),
                     "private");
  if (!key) return std::unexpected(key.error());
  RsaPrivateKey parsed(std::move(*key));
  const auto trial = signature_by(parsed.handle(), "trial");
  if (!trial || !parsed.public_key().verifies("trial", *trial))
    return fail("the RSA private key is damaged: its signatures do not verify");
  return parsed;
}

RsaPrivateKey RsaPrivateKey::generate() {
  Key key = own(EVP_RSA_gen(static_cast<unsigned>(kBitsMin)));
  FINALITY_CHECK(key != nullptr, "OpenSSL cannot generate an RSA key");
  return RsaPrivateKey(std::move(key));
}

std::string RsaPrivateKey::sign(std::string_view data) const {
  auto signature = signature_by(key_.get(), data);
  FINALITY_CHECK(signature.has_value(), "OpenSSL cannot sign with an RSA key");
  return std::move(*signature);
}

Secret RsaPrivateKey::to_pem() const {
  const Bio out(BIO_new(BIO_s_mem()), BIO_free);
  FINALITY_CHECK(PEM_write_bio_PKCS8PrivateKey(out.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
                 "OpenSSL cannot write a private key");
  return Secret(written(out.get()));
}

}  // namespace finality
