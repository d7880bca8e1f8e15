#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/crypto/encoding.h"

namespace finality {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
// C0 and C1 controls except the line feed, DEL, soft hyphen, bidirectional and zero-width characters, line and
// paragraph separators, byte order mark, interlinear annotation characters.
constexpr Range kEscaped[] = {{0x00, 0x09},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                              {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

bool is_escaped(std::uint32_t point) {
  return std::ranges::any_of(kEscaped,
                             [point](const Range& range) { return point >= range.first && point <= range.last; });
}

std::size_t length_of(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

// The code point of a character. REQUIRES: `character` is one character of well-formed UTF-8.
std::uint32_t code_point_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  constexpr unsigned kLeadMasks[] = {0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t point = lead & kLeadMasks[character.size() - 1];
  for (const char byte : character.substr(1)) point = point << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  return point;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, length_of(static_cast<unsigned char>(text.front())));
    if (!is_utf8(character)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const std::uint32_t point = code_point_of(character);
    if (is_escaped(point))
      out += fmt::format("\\u{:04x}", point);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace finality
