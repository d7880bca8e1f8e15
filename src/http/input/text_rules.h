// Rules for text in requests.
#pragma once

#include <string_view>

namespace finality::http {

/// Whether the text has `min` to `max` characters of UTF-8, none of them a control character (C0, DEL, C1).
bool is_plain_text(std::string_view text, std::size_t min, std::size_t max);

/// Whether the text has 1 to `max` characters from a-z, 0-9 and _.
bool is_word(std::string_view text, std::size_t max);

inline constexpr std::size_t kPriceNameMax = 64;
inline constexpr std::string_view kPriceNameRule = "1 to 64 letters A-Z and a-z, digits, and the characters . _ and -";
/// Whether the text is a valid name of a price: kPriceNameRule.
bool is_price_name(std::string_view text);

}  // namespace finality::http
