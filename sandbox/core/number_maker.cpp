#include "sandbox/core/number_maker.h"

#include <fmt/format.h>

#include "base/crypto/random.h"

namespace finality::sandbox {
namespace {

constexpr int kCountMax = 9999;
constexpr std::size_t kDigits = 24;  // number of digits after the prefix
constexpr std::int64_t kDayMs = 86'400'000;

std::string random_tag() {
  unsigned value = 0;
  for (const char byte : random_bytes(3)) value = value << 8 | static_cast<unsigned char>(byte);
  return fmt::format("{:04}", value % 10'000);
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

}  // namespace

NumberMaker::NumberMaker() : tag_(random_tag()) {}

std::string NumberMaker::make(std::string_view prefix, Time now) {
  if (now > latest_) {
    latest_ = now;
    count_ = 0;
  } else if (++count_ > kCountMax) {
    latest_.ms += 1;
    count_ = 0;
  }
  const std::string day = without_dashes(to_rfc3339(latest_).substr(0, 10));
  return fmt::format("{}{}{:08}{:04}{}", prefix, day, latest_.ms % kDayMs, count_, tag_);
}

std::string_view NumberMaker::prefix_of(std::string_view number) { return number.substr(0, number.size() - kDigits); }

}  // namespace finality::sandbox
