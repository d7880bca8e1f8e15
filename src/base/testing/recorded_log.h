// Records the log lines that are written during its lifetime.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/log.h"

namespace finality {

/// Thread safe. Only one RecordedLog may exist at a time.
class RecordedLog {
 public:
  RecordedLog() {
    log::observe([this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      text_ += std::string(line) + '\n';
    });
  }
  ~RecordedLog() { log::observe(nullptr); }
  RecordedLog(const RecordedLog&) = delete;
  RecordedLog& operator=(const RecordedLog&) = delete;

  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  bool contains(const std::string& part) const { return text().contains(part); }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace finality
