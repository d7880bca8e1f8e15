// Tables for the terminal. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace finality::app {

/// A column of a table: its title, and whether its cells end at the same position, as amounts do.
struct TextColumn {
  std::string_view title;
  bool is_right_aligned = false;
};

/// Returns the title line and one line per row. Each column is as wide as its widest cell; two spaces separate columns,
/// and no line ends with spaces. A Chinese character counts as two positions. REQUIRES: each row has one cell per
/// column, and cells are printable UTF-8 without line feeds.
std::string text_table(std::span<const TextColumn> columns, const std::vector<std::vector<std::string>>& rows);

/// Returns the number of positions that a text takes on a terminal: two for a wide character (CJK), one for all others.
std::size_t text_width(std::string_view text);

}  // namespace finality::app
