#include "base/crypto/legacy_digest.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"
#include "base/crypto/encoding.h"

namespace finality {
namespace {

constexpr const char* kFailure = "OpenSSL cannot compute a digest of the default provider";

std::string digest_hex(const char* algorithm, std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  std::size_t size = 0;
  const int done = EVP_Q_digest(nullptr, algorithm, nullptr, data.data(), data.size(), out.data(), &size);
  FINALITY_CHECK(done == 1, kFailure);
  return to_hex({reinterpret_cast<const char*>(out.data()), size});
}

}  // namespace

std::string md5_hex(std::string_view data) { return digest_hex("MD5", data); }
std::string sha1_hex(std::string_view data) { return digest_hex("SHA1", data); }

void Sha1::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha1::Sha1() : context_(EVP_MD_CTX_new()) {
  FINALITY_CHECK(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha1(), nullptr) == 1, kFailure);
}

void Sha1::add(std::string_view data) {
  FINALITY_CHECK(EVP_DigestUpdate(context_.get(), data.data(), data.size()) == 1, kFailure);
}

std::string Sha1::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  FINALITY_CHECK(EVP_DigestFinal_ex(context_.get(), out.data(), &size) == 1, kFailure);
  return to_hex({reinterpret_cast<const char*>(out.data()), size});
}

}  // namespace finality
