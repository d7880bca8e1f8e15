// Tracks effects in flight, limits their number, and queues effects that wait for a slot.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "base/limits.h"
#include "model/effect.h"
#include "worker/in_flight/slot_pool.h"

namespace finality {

/// Returns the slots that the effect may take: those of its channel account and merchant, or of its merchant for a
/// delivery.
SlotKey slot_key_of(const Effect& effect);

/// Resource use of the requests to one channel account.
struct ChannelUse {
  std::size_t in_flight = 0;
  std::size_t waiting = 0;
  std::uint64_t dropped = 0;  // since the process started
};

/// Bulkheads between channel accounts and between merchants. Requests to channels and deliveries have separate slots. A
/// channel account may have as many requests in flight as it leaves free for other accounts. Within the account, a
/// merchant may have as many as it leaves free for the account's other merchants. An account that responds slowly or
/// not at all therefore leaves slots for the other accounts. Deliveries are divided among merchants by the same rule,
/// and so is the queue: accounts take turns, and so do the merchants of an account.
///
/// Thread safe. Permits may outlive the last use of this object.
class InFlightEffects : public std::enable_shared_from_this<InFlightEffects> {
 public:
  /// Starts an effect. Called outside the lock, on the caller's thread or on the thread that released a slot.
  using Start = SlotPool::Start;

  static std::shared_ptr<InFlightEffects> create();

  /// Acquires a slot, which the permit holds. Returns null if no slot is free, or after close().
  Permit admit(const SlotKey& key);
  /// Starts the effect immediately if a slot is free; otherwise queues it and starts it in turn. Returns false and
  /// never starts it if the key's share of the queue is full, or after close().
  bool admit_or_wait(const SlotKey& key, Start start);
  /// Counts an effect that was dropped because it waited too long or the queue was full. Until an effect of the account
  /// leaves the queue in time, due rows do not enter the account's queue.
  void count_dropped(const SlotKey& key);
  /// Returns the number of due rows with that key that may be claimed: one for each free slot and place in a short
  /// queue (limits::kEffectQueueLowWater). The short queue ensures that new effects cannot starve due rows.
  std::size_t room_for_claims(const SlotKey& key) const;
  /// Number of effects in flight, of both kinds.
  std::size_t count() const;
  /// Number of queued effects, of both kinds.
  std::size_t waiting() const;
  /// Resource use of the account; zero if no effect has used it.
  ChannelUse use_of(ChannelAccountId account) const;

  /// Admits nothing more. Returns the number of queued effects that are dropped.
  std::size_t close();
  /// Waits until no effect is in flight. Returns false if effects are still in flight after `at_most`.
  bool wait_until_none(Duration at_most);

 private:
  /// State of a channel account; one per configured account.
  struct Account {
    std::uint64_t dropped = 0;
    bool line_is_slow = false;  // the last effect that left its queue had waited too long
  };

  InFlightEffects() = default;
  SlotPool& pool_of(EffectKind kind) { return kind == EffectKind::delivery ? deliveries_ : calls_; }
  const SlotPool& pool_of(EffectKind kind) const { return kind == EffectKind::delivery ? deliveries_ : calls_; }
  Permit admit_locked(const SlotKey& key);
  Permit permit_of(const SlotKey& key);
  std::size_t count_locked() const;
  std::size_t waiting_locked() const;
  void end(const SlotKey& key);

  mutable std::mutex mutex_;
  std::condition_variable none_;
  SlotPool calls_{limits::kChannelCallsInFlightMax, limits::kEffectsQueuedMax};
  SlotPool deliveries_{limits::kDeliveriesInFlightMax, limits::kEffectsQueuedMax};
  std::map<ChannelAccountId, Account> accounts_;
  bool closed_ = false;
};

}  // namespace finality
