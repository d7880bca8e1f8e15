#include "sandbox/core/china_time.h"

#include <charconv>
#include <chrono>

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOffset = 8h;
constexpr std::size_t kDateLength = 10;
constexpr std::size_t kTimeLength = 19;

// Formats a time as `yyyy-MM-ddTHH:mm:ss` in Beijing time.
std::string local(Time at) { return to_rfc3339(at + kOffset).substr(0, kTimeLength); }

std::optional<Time> parse_local(std::string_view date, std::string_view clock) {
  return parse_rfc3339(std::string(date) + "T" + std::string(clock) + "+08:00");
}

// Returns the first day of the month after `month` (yyyy-MM).
std::string next_month(std::string_view month) {
  int year = 0;
  unsigned number = 0;
  std::from_chars(month.data(), month.data() + 4, year);
  std::from_chars(month.data() + 5, month.data() + 7, number);
  const auto next = std::chrono::year(year) / std::chrono::month(number) / 1 + std::chrono::months(1);
  return to_rfc3339({Duration(std::chrono::sys_days(next).time_since_epoch()).count()}).substr(0, kDateLength);
}

}  // namespace

std::string china_date(Time at) { return local(at).substr(0, kDateLength); }

std::string china_time(Time at) {
  std::string text = local(at);
  text[kDateLength] = ' ';
  return text;
}

std::string china_rfc3339(Time at) { return local(at) + "+08:00"; }

std::optional<Time> parse_china_time(std::string_view text) {
  if (text.size() != kTimeLength || text[kDateLength] != ' ') return std::nullopt;
  return parse_local(text.substr(0, kDateLength), text.substr(kDateLength + 1));
}

Day china_day_of(Time at) {
  constexpr Duration kDay = 24h;
  const std::int64_t since_midnight = (at.ms + kOffset.count()) % kDay.count();
  const Time begin{at.ms - since_midnight};
  return {.begin = begin, .end = begin + kDay};
}

std::optional<Day> parse_china_day(std::string_view text) {
  const bool is_month = text.size() == kDateLength - 3;
  if (!is_month && text.size() != kDateLength) return std::nullopt;
  const std::optional<Time> begin = parse_local(is_month ? std::string(text) + "-01" : std::string(text), "00:00:00");
  if (!begin) return std::nullopt;
  return Day{.begin = *begin, .end = is_month ? *parse_local(next_month(text), "00:00:00") : *begin + 24h};
}

}  // namespace finality::sandbox
