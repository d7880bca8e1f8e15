#include "app/config/duration_text.h"

#include <charconv>

namespace finality::app {

std::optional<Duration> parse_duration(std::string_view text, Duration max) {
  using namespace std::chrono_literals;
  constexpr std::pair<std::string_view, Duration> kUnits[] = {
      {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", std::chrono::days(1)}};
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || count <= 0) return std::nullopt;
  for (const auto& [name, unit] : kUnits)
    if (std::string_view(rest, end) == name) return count <= max / unit ? std::optional(count * unit) : std::nullopt;
  return std::nullopt;
}

}  // namespace finality::app
