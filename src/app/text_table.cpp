#include "app/text_table.h"

#include <algorithm>
#include <cstdint>

namespace finality::app {
namespace {

struct CodePoints {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks of wide and full-width characters (Unicode Standard Annex 11).
constexpr CodePoints kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
                                {0xf900, 0xfaff},   {0xfe30, 0xfe4f},  {0xff00, 0xff60}, {0xffe0, 0xffe6},
                                {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};

bool is_wide(std::uint32_t point) {
  return std::ranges::any_of(kWide,
                             [&](const CodePoints& block) { return point >= block.first && point <= block.last; });
}

// Takes the first code point off the text. Invalid bytes are one code point each.
std::uint32_t take_point(std::string_view& text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 1 || text.size() < length) {
    text.remove_prefix(1);
    return first;
  }
  std::uint32_t point = first & (0xffU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) point = point << 6U | (byte(at) & 0x3fU);
  text.remove_prefix(length);
  return point;
}

void add_line(std::string& out, std::span<const TextColumn> columns, std::span<const std::size_t> widths,
              const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string spaces(widths[i] - text_width(cells[i]), ' ');
    line += (i == 0 ? "" : "  ") + (columns[i].is_right_aligned ? spaces + cells[i] : cells[i] + spaces);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += is_wide(take_point(text)) ? 2 : 1;
  return width;
}

std::string text_table(std::span<const TextColumn> columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    titles.emplace_back(columns[i].title);
    std::size_t width = text_width(columns[i].title);
    for (const auto& row : rows) width = std::max(width, text_width(row[i]));
    widths.push_back(width);
  }
  std::string out;
  add_line(out, columns, widths, titles);
  for (const auto& row : rows) add_line(out, columns, widths, row);
  return out;
}

}  // namespace finality::app
