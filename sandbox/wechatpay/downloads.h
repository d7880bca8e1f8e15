// Store of files that merchants can download for a limited time. Each file has a separate token.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::sandbox {

/// Thread safe. Files are kept in memory; after a restart, merchants must request them again.
class WechatpayDownloads {
 public:
  /// Stores the file for five minutes, or until 64 newer files have been offered. Only the merchant `owner` may
  /// download the file. Returns the token for find().
  std::string offer(std::string_view owner, std::string content, Time now);
  /// Returns the file's content. Null when the merchant `owner` has no file with this token, or the file has expired.
  std::shared_ptr<const std::string> find(std::string_view owner, std::string_view token, Time now);

 private:
  struct Offer {
    std::string owner;
    std::string token;
    Time ends_at;
    std::shared_ptr<const std::string> content;
  };

  std::mutex mutex_;
  std::deque<Offer> offers_;  // oldest first; guarded by mutex_
};

}  // namespace finality::sandbox
