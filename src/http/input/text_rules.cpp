#include "http/input/text_rules.h"

#include <algorithm>

#include "base/crypto/encoding.h"

namespace finality::http {
namespace {

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

bool is_of_a_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_of_a_price_name(char c) { return is_of_a_word(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '-'; }

}  // namespace

bool is_plain_text(std::string_view text, std::size_t min, std::size_t max) {
  if (text.size() < min || text.size() > 4 * max || !is_utf8(text) || has_control_character(text)) return false;
  const std::size_t length = utf8_length(text);
  return length >= min && length <= max;
}

bool is_word(std::string_view text, std::size_t max) {
  return !text.empty() && text.size() <= max && std::ranges::all_of(text, is_of_a_word);
}

bool is_price_name(std::string_view text) {
  return !text.empty() && text.size() <= kPriceNameMax && std::ranges::all_of(text, is_of_a_price_name);
}

}  // namespace finality::http
