// Validation rules for text in requests.
#pragma once

#include <string_view>

namespace finality::http {

/// Returns true if the text is UTF-8 with `min` to `max` characters and no control characters (C0, DEL, C1).
bool is_plain_text(std::string_view text, std::size_t min, std::size_t max);

/// Returns true if the text has 1 to `max` characters from a-z, 0-9 and _.
bool is_word(std::string_view text, std::size_t max);

inline constexpr std::size_t kPriceNameMax = 64;
inline constexpr std::string_view kPriceNameRule = "1 to 64 letters A-Z and a-z, digits, and the characters . _ and -";
/// Returns true if the text is a price name according to kPriceNameRule.
bool is_price_name(std::string_view text);

}  // namespace finality::http
