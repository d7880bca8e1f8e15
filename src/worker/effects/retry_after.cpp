#include "worker/effects/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/limits.h"

namespace finality {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<Duration> parse_seconds(std::string_view text) {
  if (!is_digits(text)) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::int64_t most = std::chrono::duration_cast<std::chrono::seconds>(limits::kRetryAfterMax).count();
  return std::chrono::seconds(error == std::errc() ? std::min(seconds, most) : most);
}

// Parses an IMF-fixdate such as "Sun, 06 Nov 1994 08:49:37 GMT". All parts have fixed positions, so the text is
// converted to RFC 3339 and parsed in that format.
std::optional<Time> parse_date(std::string_view text) {
  constexpr std::string_view kShape = "Sun, 06 Nov 1994 08:49:37 GMT";
  if (text.size() != kShape.size() || !text.ends_with(" GMT") || text.substr(3, 2) != ", ") return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == kMonths.end() || text[7] != ' ' || text[11] != ' ' || text[16] != ' ') return std::nullopt;
  return parse_rfc3339(fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4), month - kMonths.begin() + 1,
                                   text.substr(5, 2), text.substr(17, 8)));
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view field, Time now) {
  if (const auto seconds = parse_seconds(field)) return seconds;
  const auto date = parse_date(field);
  if (!date) return std::nullopt;
  return std::clamp(*date - now, Duration{0}, limits::kRetryAfterMax);
}

}  // namespace finality
