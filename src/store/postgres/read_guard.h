// Refuses reads of failed shards, so that they do not hold the reader for their time limit again and again.
#pragma once

#include <compare>
#include <map>

#include "model/ids.h"
#include "store/postgres/deadline.h"
#include "store/postgres/statement.h"

namespace finality::postgres {

/// The shards of a read: that of a merchant, or all shards. A read of all shards is identified by its statement,
/// because a slow statement must not stop the others.
struct ReadTarget {
  MerchantId merchant;
  const SqlStatement* statement = nullptr;  // null for a read of the merchant's shard
  friend auto operator<=>(const ReadTarget&, const ReadTarget&) = default;
};

/// The targets whose last read failed. Owned by one reader; not thread safe.
class ReadGuard {
 public:
  enum class Access : std::uint8_t { open, probe, refused };

  /// `refused_for`: how long the reads of a target are refused after one of them has failed. The next read is a probe.
  explicit ReadGuard(Duration refused_for) : refused_for_(refused_for) {}

  /// `now`: the time of monotonic_now().
  Access admit(const ReadTarget& target, Duration now = monotonic_now()) const {
    const auto failed = refused_until_.find(target);
    if (failed == refused_until_.end()) return Access::open;
    return now < failed->second ? Access::refused : Access::probe;
  }
  void record_failure(const ReadTarget& target, Duration now = monotonic_now()) {
    // Forgets targets that are no longer read, so that the map stays small.
    std::erase_if(refused_until_, [&](const auto& failed) { return failed.second + refused_for_ < now; });
    refused_until_[target] = now + refused_for_;
  }
  /// Called after each successful probe.
  void record_success(const ReadTarget& target) { refused_until_.erase(target); }

 private:
  Duration refused_for_;
  std::map<ReadTarget, Duration> refused_until_;
};

}  // namespace finality::postgres
