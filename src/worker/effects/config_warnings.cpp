#include "worker/effects/config_warnings.h"

#include <algorithm>

#include "base/limits.h"
#include "engine/log.h"

namespace finality {
namespace {

// Channel messages must not create additional log lines.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

bool ConfigWarnings::should_warn(const std::string& channel, const std::string& code, Time now) {
  const std::scoped_lock lock(mutex_);
  const auto [at, is_first] = said_.try_emplace({channel, code}, now);
  if (!is_first && now - at->second < limits::kConfigWarningInterval) return false;
  at->second = now;
  return true;
}

bool ConfigWarnings::note(const Channel& channel, const std::string& code, const std::string& message, Time now) {
  const std::string_view settings = channel.config_hint(code);
  if (settings.empty()) return false;
  if (count_) count_(channel.name(), code);
  if (!should_warn(channel.name(), code, now)) return false;
  spdlog::warn("channel {} returned {} ({}): {}", channel.name(), code, one_line(message), settings);
  return true;
}

}  // namespace finality
