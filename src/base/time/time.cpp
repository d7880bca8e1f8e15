#include "base/time/time.h"

namespace finality {
namespace {

// Reads `count` digits at `at` and advances `at`. Returns empty if there are fewer.
std::optional<int> digits(std::string_view text, std::size_t& at, int count) {
  int value = 0;
  for (int i = 0; i < count; ++i, ++at) {
    if (at >= text.size() || text[at] < '0' || text[at] > '9') return std::nullopt;
    value = value * 10 + (text[at] - '0');
  }
  return value;
}

// Writes `count` digits at `at`. Not with a general formatter, which takes ten times as long: every event and reply
// contains instants.
void put_digits(std::string& text, std::size_t at, std::size_t count, std::int64_t value) {
  for (std::size_t i = count; i-- > 0; value /= 10) text[at + i] = static_cast<char>('0' + value % 10);
}

bool skip(std::string_view text, std::size_t& at, char expected) {
  if (at >= text.size() || text[at] != expected) return false;
  ++at;
  return true;
}

}  // namespace

std::string to_rfc3339(Time at) {
  using namespace std::chrono;
  const sys_time<milliseconds> instant{milliseconds{at.ms}};
  const auto day = floor<days>(instant);
  const year_month_day date{day};
  const hh_mm_ss clock{instant - day};
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(text, 0, 4, static_cast<int>(date.year()));
  put_digits(text, 5, 2, static_cast<unsigned>(date.month()));
  put_digits(text, 8, 2, static_cast<unsigned>(date.day()));
  put_digits(text, 11, 2, clock.hours().count());
  put_digits(text, 14, 2, clock.minutes().count());
  put_digits(text, 17, 2, clock.seconds().count());
  put_digits(text, 20, 3, clock.subseconds().count());
  return text;
}

std::optional<Time> parse_rfc3339(std::string_view text) {
  using namespace std::chrono;
  std::size_t at = 0;
  const auto year_ = digits(text, at, 4);
  if (!year_ || !skip(text, at, '-')) return std::nullopt;
  const auto month_ = digits(text, at, 2);
  if (!month_ || !skip(text, at, '-')) return std::nullopt;
  const auto day_ = digits(text, at, 2);
  if (!day_ || at >= text.size() || (text[at] != 'T' && text[at] != 't' && text[at] != ' ')) return std::nullopt;
  ++at;
  const auto hour = digits(text, at, 2);
  if (!hour || !skip(text, at, ':')) return std::nullopt;
  const auto minute = digits(text, at, 2);
  if (!minute || !skip(text, at, ':')) return std::nullopt;
  const auto second = digits(text, at, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;

  int fraction_ms = 0;
  if (skip(text, at, '.')) {
    int scale = 100;
    if (at >= text.size() || text[at] < '0' || text[at] > '9') return std::nullopt;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10)
      fraction_ms += (text[at] - '0') * scale;
  }

  minutes offset{0};
  if (!skip(text, at, 'Z') && !skip(text, at, 'z')) {
    if (at >= text.size() || (text[at] != '+' && text[at] != '-')) return std::nullopt;
    const int sign = text[at++] == '+' ? 1 : -1;
    const auto offset_hour = digits(text, at, 2);
    if (!offset_hour || !skip(text, at, ':')) return std::nullopt;
    const auto offset_minute = digits(text, at, 2);
    if (!offset_minute || *offset_hour > 23 || *offset_minute > 59) return std::nullopt;
    offset = minutes{sign * (*offset_hour * 60 + *offset_minute)};
  }
  if (at != text.size()) return std::nullopt;

  const year_month_day date{year{*year_}, month{static_cast<unsigned>(*month_)}, day{static_cast<unsigned>(*day_)}};
  if (!date.ok()) return std::nullopt;
  const auto instant = sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second} - offset;
  return Time{duration_cast<milliseconds>(instant.time_since_epoch()).count() + fraction_ms};
}

bool is_date(std::string_view text) {
  return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}

Time SystemClock::now() const {
  return {std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count()};
}

}  // namespace finality
