#include "sandbox/formats/yuan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace finality::sandbox {
namespace {

constexpr std::size_t kYuanDigitsMax = 13;

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string to_yuan(MinorUnits fen) {
  return fmt::format("{}{}.{:02}", fen < 0 ? "-" : "", std::abs(fen) / 100, std::abs(fen) % 100);
}

std::optional<MinorUnits> parse_yuan(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view yuan = text.substr(0, point);
  const std::string_view fen = point == std::string_view::npos ? "0" : text.substr(point + 1);
  if (yuan.empty() || yuan.size() > kYuanDigitsMax || !all_digits(yuan)) return std::nullopt;
  if (fen.empty() || fen.size() > 2 || !all_digits(fen)) return std::nullopt;
  MinorUnits value = 0;
  for (const char digit : yuan) value = value * 10 + (digit - '0');
  for (const char digit : fen) value = value * 10 + (digit - '0');
  return fen.size() == 1 ? value * 10 : value;
}

}  // namespace finality::sandbox
