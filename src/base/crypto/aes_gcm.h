// AES-256-GCM (NIST SP 800-38D), with which WeChat Pay v3 encrypts notifications. Uses OpenSSL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality {

/// Returns the ciphertext followed by the 16-byte tag.
/// REQUIRES: `key` has 32 bytes, `nonce` has 12 and is never used twice with one key.
std::string aes_256_gcm_encrypt(std::string_view key, std::string_view nonce, std::string_view associated,
                                std::string_view plain);

/// Returns empty if authentication fails or if `key` or `nonce` has the wrong length.
std::optional<std::string> aes_256_gcm_decrypt(std::string_view key, std::string_view nonce,
                                               std::string_view associated, std::string_view cipher_and_tag);

}  // namespace finality
