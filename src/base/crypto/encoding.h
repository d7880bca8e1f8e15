// Encodings of bytes as text: hex, base64, base 32, UTF-8, percent encoding. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace finality {

std::string to_hex(std::string_view bytes);  // lower case
/// Decodes upper and lower case. Returns empty if `text` is not a sequence of pairs of hexadecimal digits.
std::optional<std::string> from_hex(std::string_view text);

std::string to_base64(std::string_view bytes);  // RFC 4648 §4, padded
/// Decodes padded base64 (RFC 4648 §4). Returns empty if `text` is invalid.
std::optional<std::string> from_base64(std::string_view text);

/// Encodes a value in 13 digits of Crockford's base 32 (lower case, no i, l, o, u). Texts of values >= 0 sort in
/// numeric order.
std::string to_base32(std::int64_t value);
/// Decodes the output of to_base32(). Returns empty for any other text, including upper case and values from 2^63.
std::optional<std::int64_t> from_base32(std::string_view text);

/// True when `text` is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);
/// Counts the code points of well-formed UTF-8.
std::size_t utf8_length(std::string_view text);

/// Percent-decodes one URL component (RFC 3986; leaves '+' unchanged). Returns empty if an escape is invalid.
std::optional<std::string> percent_decode(std::string_view text);
/// Percent-encodes every byte except the unreserved characters of RFC 3986 §2.3.
std::string percent_encode(std::string_view text);

}  // namespace finality
