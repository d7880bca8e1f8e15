// SHA-256 and HMAC-SHA-256. Uses OpenSSL. Pure: the same input gives the same output.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace finality {

/// The first 16 bytes of a SHA-256 digest. Collisions of 128 bits do not occur in practice.
using Hash16 = std::array<unsigned char, 16>;

std::string sha256(std::string_view data);  // digest of 32 bytes, not hex
/// The first 16 bytes of sha256().
Hash16 sha256_16(std::string_view data);
std::string hmac_sha256(std::string_view key, std::string_view data);  // 32 bytes, not hex

/// True if the texts are equal. The duration does not reveal the position of the first difference.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace finality
