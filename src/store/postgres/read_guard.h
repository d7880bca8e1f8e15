// Reads while a shard has failed: refuses reads of failed shards, so that they do not hold the reader for their time
// limit again and again, and remembers the merchants, so that reads of all shards can be sent to the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "store/postgres/deadline.h"
#include "store/postgres/statement.h"
#include "store/store.h"

namespace finality::postgres {

/// The shards of a read: that of a merchant, all shards, or those of one worker. A read of several shards is identified
/// by its statement too, because a slow statement must not stop the others.
struct ReadTarget {
  MerchantId merchant;
  const SqlStatement* statement = nullptr;  // null for a read of the merchant's shard
  std::optional<StorePart> part = {};       // the worker; empty for all shards
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

/// The merchants of a distributed store. `merchants` is distributed too, so the list is read while all shards work.
/// Shared by the readers of a store. Thread safe.
class KnownMerchants {
 public:
  using List = std::vector<MerchantId>;  // sorted, without duplicates

  /// Returns true to one caller per kReadEvery. That caller reads the merchants and calls add().
  bool is_due(Duration now = monotonic_now()) {
    Duration::rep at = due_at_;
    return now.count() >= at && due_at_.compare_exchange_strong(at, (now + kReadEvery).count());
  }
  /// Adds merchants, which can be known already, and returns all.
  std::shared_ptr<const List> add(const std::vector<MerchantId>& merchants) {
    std::shared_ptr<const List> before = list_;
    std::shared_ptr<const List> after;
    do {
      List all = *before;
      all.insert(all.end(), merchants.begin(), merchants.end());
      std::ranges::sort(all);
      const auto repeated = std::ranges::unique(all);
      all.erase(repeated.begin(), repeated.end());
      after = std::make_shared<const List>(std::move(all));
    } while (!list_.compare_exchange_weak(before, after));
    return after;
  }

 private:
  static constexpr Duration kReadEvery = std::chrono::seconds(30);

  std::atomic<Duration::rep> due_at_ = 0;
  std::atomic<std::shared_ptr<const List>> list_ = std::make_shared<const List>();
};

}  // namespace finality::postgres
