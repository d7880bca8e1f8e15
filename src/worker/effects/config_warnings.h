// Warns when channel errors suggest misconfiguration. A wrong key or id would otherwise be silent, because replies that
// fail verification only leave the result unknown.
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
  /// Called for each suspected misconfiguration; both arguments have few values. Several threads may call it
  /// concurrently.
  using Count = std::function<void(const std::string& channel, const std::string& reason)>;

  explicit ConfigWarnings(Count count = {}) : count_(std::move(count)) {}

  /// Checks the code of a channel's reply. If it suggests misconfiguration, counts it, and logs a warning unless the
  /// same one was logged within limits::kConfigWarningInterval. Returns true if it logged.
  bool note(const Channel& channel, const std::string& code, const std::string& message, Time now);

 private:
  bool should_warn(const std::string& channel, const std::string& code, Time now);

  const Count count_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Time> logged_;  // last log time by channel and code
};

}  // namespace finality
