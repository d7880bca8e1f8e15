#include "base/crypto/crypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/check.h"

namespace finality {
namespace {

using Digest = std::array<unsigned char, 32>;

Digest digest(std::string_view data) {
  // Fetched once, because a look-up of the algorithm takes longer than the digest of a short text.
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
  // The algorithm is fetched once, and each thread sets up its context once. Each call sets only the key.
  thread_local const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> owned = [] {
    static EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> made(EVP_MAC_CTX_new(algorithm), EVP_MAC_CTX_free);
    char name[] = "SHA256";
    const OSSL_PARAM settings[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                   OSSL_PARAM_construct_end()};
    FINALITY_CHECK(made && EVP_MAC_CTX_set_params(made.get(), settings) == 1, "OpenSSL cannot compute HMAC-SHA-256");
    return made;
  }();
  // With a null pointer, EVP_MAC_init() reuses the previous key, which takes half as long. An empty key needs another
  // pointer.
  thread_local std::optional<std::string> previous;
  const bool is_same = previous == key;
  const auto* key_bytes = is_same ? nullptr : reinterpret_cast<const unsigned char*>(key.empty() ? "" : key.data());
  Digest out;
  std::size_t length = 0;
  const bool done =
      EVP_MAC_init(owned.get(), key_bytes, is_same ? 0 : key.size(), nullptr) == 1 &&
      EVP_MAC_update(owned.get(), reinterpret_cast<const unsigned char*>(data.data()), data.size()) == 1 &&
      EVP_MAC_final(owned.get(), out.data(), &length, out.size()) == 1;
  FINALITY_CHECK(done && length == out.size(), "OpenSSL cannot compute HMAC-SHA-256");
  if (!is_same) previous = key;
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace finality
