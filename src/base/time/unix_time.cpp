#include "base/time/unix_time.h"

#include <algorithm>
#include <charconv>

namespace finality {

std::string to_unix_seconds(Time at) { return std::to_string(at.ms / 1000); }

std::optional<Time> parse_unix_seconds(std::string_view text) {
  constexpr std::size_t kDigitsMax = 12;
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || text.size() > kDigitsMax || !digits) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return Time{seconds * 1000};
}

}  // namespace finality
