// Keys are replaced without a restart: when one of their files changes, or when an operator asks for it (SIGHUP).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"

namespace finality::app {

inline constexpr Duration kKeysLookedAtEvery = std::chrono::seconds(3);

/// Thread safe; its `load` functions run one at a time.
class KeyWatch {
 public:
  /// What tells one state of a file from another.
  struct Stamp {
    std::int64_t inode = 0, size = -1, changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static std::vector<Stamp> stamps_of(const std::vector<std::string>& files);

  struct Keys {
    std::string channel;
    std::vector<std::string> files;
    /// Their stamps from before the keys were loaded: what was written since then is seen at the first look.
    std::vector<Stamp> seen;
    /// Reads the keys and hands them to the channel. An error leaves the channel with the keys it has.
    std::function<Result<void>()> load;
  };

  /// The keys have been loaded.
  explicit KeyWatch(std::vector<Keys> all) : all_(std::move(all)) {}

  /// Loads the keys whose files are not what they were at the last look; how many. What cannot be loaded is logged, and
  /// tried again when a file of it changes.
  std::size_t look();
  /// Loads all of them.
  std::size_t load_all();

 private:
  static bool load(const Keys& keys);

  std::mutex mutex_;
  std::vector<Keys> all_;
};

}  // namespace finality::app
