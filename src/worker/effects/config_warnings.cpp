#include "worker/effects/config_warnings.h"

#include "base/limits.h"
#include "base/log.h"

namespace finality {

bool ConfigWarnings::should_warn(const std::string& channel, const std::string& code, Time now) {
  const std::scoped_lock lock(mutex_);
  const auto [at, is_first] = logged_.try_emplace({channel, code}, now);
  if (!is_first && now - at->second < limits::kConfigWarningInterval) return false;
  at->second = now;
  return true;
}

bool ConfigWarnings::note(const Channel& channel, const std::string& code, const std::string& message, Time now) {
  const std::string_view settings = channel.config_hint(code);
  if (settings.empty()) return false;
  if (count_) count_(channel.name(), code);
  if (!should_warn(channel.name(), code, now)) return false;
  log::warn("channel rejects our configuration",
            {{"channel", channel.name()}, {"code", code}, {"message", message}, {"hint", settings}});
  return true;
}

}  // namespace finality
