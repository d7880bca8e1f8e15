#include "base/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <memory>

#include "base/check.h"

namespace finality {
namespace {

using Digest = std::array<unsigned char, 32>;

Digest digest(std::string_view data) {
  // Fetched once: looking the algorithm up costs more than a short digest.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> owned(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_MD_CTX* const context = owned.get();
  Digest out;
  unsigned length = 0;
  const bool done = EVP_DigestInit_ex2(context, algorithm, nullptr) == 1 &&
                    EVP_DigestUpdate(context, data.data(), data.size()) == 1 &&
                    EVP_DigestFinal_ex(context, out.data(), &length) == 1;
  FINALITY_CHECK(done && length == out.size(), "OpenSSL cannot compute SHA-256");
  return out;
}

}  // namespace

std::string sha256(std::string_view data) {
  const Digest out = digest(data);
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

Hash16 sha256_16(std::string_view data) {
  const Digest out = digest(data);
  Hash16 half;
  std::copy_n(out.begin(), half.size(), half.begin());
  return half;
}

std::string hmac_sha256(std::string_view key, std::string_view data) {
  Digest out;
  unsigned length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  const auto* done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, data.size(), out.data(), &length);
  FINALITY_CHECK(done != nullptr && length == out.size(), "OpenSSL cannot compute HMAC-SHA-256");
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace finality
