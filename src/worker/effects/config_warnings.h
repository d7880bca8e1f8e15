// What answers of channels make doubtful about our own settings: a wrong key or id is silent otherwise, since what is
// not believed only stays unknown.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "channel/channel.h"

namespace finality {

/// Thread safe.
class ConfigWarnings {
 public:
  /// Told of each doubt; both are from small sets. May be called by several threads at once.
  using Count = std::function<void(const std::string& channel, const std::string& reason)>;

  explicit ConfigWarnings(Count count = {}) : count_(std::move(count)) {}

  /// Takes note of an answer of that code, if it speaks of our settings at all: counts it, and warns unless the same
  /// warning is younger than limits::kConfigWarningInterval. Returns whether it warned.
  bool note(const Channel& channel, const std::string& code, const std::string& message, Time now);

 private:
  bool should_warn(const std::string& channel, const std::string& code, Time now);

  const Count count_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Time> said_;  // by channel and code
};

}  // namespace finality
