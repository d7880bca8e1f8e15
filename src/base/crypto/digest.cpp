#include "base/crypto/digest.h"

#include <openssl/evp.h>

#include "base/check.h"
#include "base/crypto/encoding.h"

namespace finality {

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> owned{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  FINALITY_CHECK(EVP_DigestInit_ex2(context_->owned.get(), EVP_sha256(), nullptr) == 1,
                 "OpenSSL cannot compute SHA-256");
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view data) {
  FINALITY_CHECK(EVP_DigestUpdate(context_->owned.get(), data.data(), data.size()) == 1,
                 "OpenSSL cannot compute SHA-256");
}

std::string Sha256::finish() {
  std::string bytes(32, '\0');
  unsigned length = 0;
  const int done = EVP_DigestFinal_ex(context_->owned.get(), reinterpret_cast<unsigned char*>(bytes.data()), &length);
  FINALITY_CHECK(done == 1 && length == bytes.size(), "OpenSSL cannot compute SHA-256");
  return to_hex(bytes);
}

}  // namespace finality
