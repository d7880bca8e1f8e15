#include "channel/alipay/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"

namespace finality::alipay {
namespace {

constexpr Duration kBeijing = std::chrono::hours(8);
constexpr std::size_t kYuanDigitsMax = 14;  // more than limits::kAmountMax needs, but too few to overflow

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string to_yuan(MinorUnits fen) { return fmt::format("{}.{:02}", fen / 100, fen % 100); }

std::optional<MinorUnits> parse_yuan(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view yuan = text.substr(0, point);
  const std::string_view fen = point == std::string_view::npos ? "" : text.substr(point + 1);
  const bool is_pointless = point == std::string_view::npos;
  if (yuan.empty() || yuan.size() > kYuanDigitsMax || !is_digits(yuan)) return std::nullopt;
  if ((fen.empty() && !is_pointless) || fen.size() > 2 || !is_digits(fen)) return std::nullopt;
  MinorUnits value = 0;
  for (const char digit : yuan) value = value * 10 + (digit - '0');
  for (std::size_t i = 0; i < 2; ++i) value = value * 10 + (i < fen.size() ? fen[i] - '0' : 0);
  if (value > limits::kAmountMax) return std::nullopt;
  return value;
}

std::string to_beijing(Time at) {
  constexpr std::size_t kToSeconds = 19;
  std::string text = to_rfc3339(at + kBeijing).substr(0, kToSeconds);
  text[10] = ' ';
  return text;
}

std::optional<Time> parse_beijing(std::string_view text) {
  if (text.size() <= 10 || text[10] != ' ') return std::nullopt;
  return parse_rfc3339(std::string(text) + "+08:00");
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace finality::alipay
