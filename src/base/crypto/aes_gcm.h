// Authenticated encryption with AES-256-GCM (NIST SP 800-38D), used for WeChat Pay v3 notifications. Uses OpenSSL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality {

/// Encrypts `plain` and authenticates `associated`. Returns the ciphertext followed by the 16-byte tag.
/// REQUIRES: `key` has 32 bytes; `nonce` has 12 bytes and is used only once with each key.
std::string aes_256_gcm_encrypt(std::string_view key, std::string_view nonce, std::string_view associated,
                                std::string_view plain);

/// Returns the plain text. Empty if authentication fails, or if `key` or `nonce` has the wrong length.
std::optional<std::string> aes_256_gcm_decrypt(std::string_view key, std::string_view nonce,
                                               std::string_view associated, std::string_view cipher_and_tag);

}  // namespace finality
