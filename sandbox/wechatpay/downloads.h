// Files that merchants have asked for and may download for a while, each under a token of its own.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::sandbox {

/// Thread safe. Kept in memory: after a restart they are asked for again.
class WechatpayDownloads {
 public:
  /// Keeps the file for five minutes, or until 64 younger ones are there. Returns its token. `owner`: who may have it.
  std::string offer(std::string_view owner, std::string content, Time now);
  /// Null when there is no such token of this owner's, or its time is over.
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
