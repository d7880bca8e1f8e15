#include "base/crypto/aes_gcm.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>

#include "base/check.h"

namespace finality {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

}  // namespace

std::string aes_256_gcm_encrypt(std::string_view key, std::string_view nonce, std::string_view associated,
                                std::string_view plain) {
  FINALITY_CHECK(key.size() == kKeyBytes && nonce.size() == kNonceBytes,
                 "AES-256-GCM needs a key of 32 bytes and a nonce of 12");
  const Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  std::string out(plain.size() + kTagBytes, '\0');
  int size = 0;
  int rest = 0;
  const bool done =
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce)) == 1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &size, bytes_of(associated), static_cast<int>(associated.size())) ==
          1 &&
      EVP_EncryptUpdate(context.get(), bytes_of(out), &size, bytes_of(plain), static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), bytes_of(out) + size, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, bytes_of(out) + plain.size()) == 1;
  FINALITY_CHECK(done, "OpenSSL cannot encrypt with AES-256-GCM");
  return out;
}

std::optional<std::string> aes_256_gcm_decrypt(std::string_view key, std::string_view nonce,
                                               std::string_view associated, std::string_view cipher_and_tag) {
  if (key.size() != kKeyBytes || nonce.size() != kNonceBytes || cipher_and_tag.size() < kTagBytes) return std::nullopt;
  const std::string_view cipher = cipher_and_tag.substr(0, cipher_and_tag.size() - kTagBytes);
  std::string tag(cipher_and_tag.substr(cipher.size()));
  const Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  std::string out(cipher.size(), '\0');
  int size = 0;
  int rest = 0;
  const bool genuine =
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &size, bytes_of(associated), static_cast<int>(associated.size())) ==
          1 &&
      EVP_DecryptUpdate(context.get(), bytes_of(out), &size, bytes_of(cipher), static_cast<int>(cipher.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, bytes_of(tag)) == 1 &&
      EVP_DecryptFinal_ex(context.get(), bytes_of(out) + size, &rest) == 1;
  ERR_clear_error();  // a failed authentication adds an error to OpenSSL's queue
  if (!genuine) return std::nullopt;
  return out;
}

}  // namespace finality
