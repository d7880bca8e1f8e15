// Warns when error codes of a channel suggest misconfiguration, such as a wrong key or id. Without a warning operators
// would not notice it, because such replies only leave the result of a payment unknown.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "channel/channel.h"

namespace finality {

/// Counts and logs suspected misconfiguration per channel and code. Thread safe.
class ConfigWarnings {
 public:
  /// Called for each suspected misconfiguration, possibly by several threads at the same time. The number of different
  /// arguments is small, so they are suitable as labels of a metric.
  using Count = std::function<void(const std::string& channel, const std::string& reason)>;

  explicit ConfigWarnings(Count count = {}) : count_(std::move(count)) {}

  /// Checks the code of a channel's reply. If it suggests misconfiguration, counts it, and logs a warning unless a
  /// warning for the same channel and code was logged within limits::kConfigWarningInterval. Returns true if it logged.
  bool note(const Channel& channel, const std::string& code, const std::string& message, Time now);

 private:
  bool should_warn(const std::string& channel, const std::string& code, Time now);

  const Count count_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Time> logged_;  // time of the last warning by channel and code
};

}  // namespace finality
