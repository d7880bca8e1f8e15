// Reloads the keys of channels without a restart: when a key file changes, or when an operator sends SIGHUP.
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

/// Thread safe. Only one `load` function runs at a time.
class KeyWatch {
 public:
  /// Identifies the version of a file by inode, size and modification time. A missing file has the default values.
  struct Stamp {
    std::int64_t inode = 0, size = -1, changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static std::vector<Stamp> stamps_of(const std::vector<std::string>& files);

  struct Keys {
    std::string channel;
    std::vector<std::string> files;
    /// Stamps of `files`, taken before the keys were loaded, so that the first look() detects later changes.
    std::vector<Stamp> seen;
    /// Reads the keys and passes them to the channel. If it fails, the channel keeps its previous keys.
    std::function<Result<void>()> load;
  };

  /// REQUIRES: the keys of every channel have been loaded after their stamps in `seen` were taken.
  explicit KeyWatch(std::vector<Keys> all) : all_(std::move(all)) {}

  /// Loads the keys whose files changed since the last call. Returns the number of channels with new keys. A failure is
  /// logged and retried when a file of the channel changes.
  std::size_t look();
  /// Loads the keys of all channels. Returns the number of channels whose keys were loaded.
  std::size_t load_all();

 private:
  static bool load(const Keys& keys);

  std::mutex mutex_;
  std::vector<Keys> all_;
};

}  // namespace finality::app
