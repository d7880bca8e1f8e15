#include "base/crypto/legacy_digest.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"
#include "base/crypto/encoding.h"

namespace finality {
namespace {

std::string digest_hex(const char* algorithm, std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  std::size_t size = 0;
  const int done = EVP_Q_digest(nullptr, algorithm, nullptr, data.data(), data.size(), out.data(), &size);
  FINALITY_CHECK(done == 1, "OpenSSL cannot compute a digest of the default provider");
  return to_hex({reinterpret_cast<const char*>(out.data()), size});
}

}  // namespace

std::string md5_hex(std::string_view data) { return digest_hex("MD5", data); }
std::string sha1_hex(std::string_view data) { return digest_hex("SHA1", data); }

}  // namespace finality
