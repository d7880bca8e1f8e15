// AES-256-GCM (NIST SP 800-38D), as WeChat Pay v3 encrypts what it notifies. By OpenSSL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality {

/// REQUIRES: `key` has 32 bytes, `nonce` 12, never used twice with one key.
/// Answers with the ciphertext and, after it, the tag of 16 bytes.
std::string aes_256_gcm_encrypt(std::string_view key, std::string_view nonce, std::string_view associated,
                                std::string_view plain);

/// Empty when it was not made with this key, nonce and associated data, or when key or nonce have another length.
std::optional<std::string> aes_256_gcm_decrypt(std::string_view key, std::string_view nonce,
                                               std::string_view associated, std::string_view cipher_and_tag);

}  // namespace finality
