// Refuses reads of failed shards, so that they do not hold the reader threads for their time limit again and again.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <map>
#include <mutex>

#include "base/time/time.h"
#include "model/ids.h"
#include "store/postgres/statement.h"

namespace finality::postgres {

/// The shards of a read: that of a merchant, or all shards. A read of all shards is identified by its statement,
/// because a slow statement must not stop the others.
struct ReadTarget {
  MerchantId merchant;
  const SqlStatement* statement = nullptr;  // null for a read of the merchant's shard
  friend auto operator<=>(const ReadTarget&, const ReadTarget&) = default;
};

/// Shared by all readers of a store. Thread safe.
class ReadGuard {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Access : std::uint8_t { open, probe, refused };

  /// `refused_for`: how long reads of a target are refused after one of them failed. Then one read is the probe, and
  /// the others are still refused for that long, or until the probe succeeds.
  explicit ReadGuard(Duration refused_for) : refused_for_(refused_for) {}

  Access admit(const ReadTarget& target, Clock::time_point now = Clock::now());
  void record_failure(const ReadTarget& target, Clock::time_point now = Clock::now());
  /// Must be called after each successful probe.
  void record_success(const ReadTarget& target);

 private:
  const Duration refused_for_;
  std::mutex mutex_;
  std::map<ReadTarget, Clock::time_point> refused_until_;
  std::atomic<bool> any_ = false;  // whether refused_until_ has entries, so that reads of a healthy store take no lock
};

}  // namespace finality::postgres
