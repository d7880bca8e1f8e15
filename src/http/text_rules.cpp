#include "http/text_rules.h"

#include "base/encoding.h"

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

}  // namespace

bool is_plain_text(std::string_view text, std::size_t min, std::size_t max) {
  if (text.size() < min || text.size() > 4 * max || !is_utf8(text) || has_control_character(text)) return false;
  const std::size_t length = utf8_length(text);
  return length >= min && length <= max;
}

}  // namespace finality::http
