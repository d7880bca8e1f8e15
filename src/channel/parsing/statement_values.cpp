#include "channel/parsing/statement_values.h"

#include <algorithm>

#include "base/printable.h"

namespace finality {
namespace {

constexpr std::size_t kTimeLength = std::string_view("2026-01-31 23:59:59").size();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Removes the digits at the begin of `text` and appends them to `value`. Returns their number; empty on overflow.
std::optional<int> take_digits(std::string_view& text, std::int64_t& value) {
  int count = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++count)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text.front() - '0', &value))
      return std::nullopt;
  return count;
}

}  // namespace

std::optional<std::int64_t> parse_decimal(std::string_view text, int digits, std::int64_t max) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  if (take_digits(text, value).value_or(0) == 0) return std::nullopt;
  int fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text, value).value_or(0);
    if (fraction == 0 || fraction > digits) return std::nullopt;
  }
  for (; fraction < digits; ++fraction)
    if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
  if (!text.empty() || value > max) return std::nullopt;
  return is_negative ? -value : value;
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  constexpr std::int64_t kCountMax = 1'000'000'000;
  const std::string_view whole = text.substr(0, text.find('.'));
  const std::string_view fraction = text.substr(whole.size());
  if (fraction == "." || fraction.find_first_not_of("0", 1) != std::string_view::npos) return std::nullopt;
  if (whole.empty() || !is_digit(whole.front())) return std::nullopt;
  return parse_decimal(whole, 0, kCountMax);
}

std::optional<Time> parse_local_time(std::string_view text, std::chrono::minutes utc_offset) {
  if (text.size() != kTimeLength) return std::nullopt;
  char zoned[kTimeLength + 1];
  std::ranges::copy(text, zoned);
  zoned[kTimeLength] = 'Z';
  const auto at = parse_rfc3339({zoned, sizeof zoned});
  if (!at) return std::nullopt;
  return *at - utc_offset;
}

std::optional<DaySpan> parse_day(std::string_view date, std::chrono::minutes utc_offset) {
  if (!is_date(date)) return std::nullopt;
  const auto begin = parse_local_time(std::string(date) + " 00:00:00", utc_offset);
  if (!begin) return std::nullopt;
  return DaySpan{*begin, *begin + std::chrono::hours(24)};
}

std::string printable_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && continues_character(text[end])) --end;
    text = text.substr(0, end);
  }
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) return std::string(text);
  std::string out = printable(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

}  // namespace finality
