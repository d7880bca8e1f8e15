// The effects under way: how many there may be, how many there are, and those that wait for a slot.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "base/limits.h"
#include "model/effect.h"
#include "worker/in_flight/slot_pool.h"

namespace finality {

SlotKey slot_key_of(const Effect& effect);

/// What the requests to one channel account use.
struct ChannelUse {
  std::size_t in_flight = 0;
  std::size_t waiting = 0;
  std::uint64_t dropped = 0;  // since the start
};

/// Bulkheads between channel accounts, and between merchants. Requests to channels and deliveries have separate slots.
/// A channel account may have as many requests under way as it leaves free for the other accounts, and within it a
/// merchant as many as it leaves free for the account's other merchants; so an account that answers slowly or not at
/// all leaves slots for the others, however many requests to it come. Deliveries are divided among merchants in the
/// same way, and so is the line of those that wait: accounts take turns, and the merchants of an account.
///
/// Thread safe. Permits may outlive the owner's last use.
class InFlightEffects : public std::enable_shared_from_this<InFlightEffects> {
 public:
  /// Starts an effect. Called outside the lock, on the caller's thread or on that of the effect whose end made room.
  using Start = SlotPool::Start;

  static std::shared_ptr<InFlightEffects> create();

  /// Null when there is no room, or after close().
  Permit admit(const SlotKey& key);
  /// Starts at once, or in its turn when there is room. False, and then never, when the line is full for the key, or
  /// after close().
  bool admit_or_wait(const SlotKey& key, Start start);
  /// Counts an effect that was dropped: it had waited too long, or the line was full. Until an effect leaves the
  /// account's line in time, rows that come due do not join that line.
  void count_dropped(const SlotKey& key);
  /// How many rows with that key may be claimed: those that find a slot, or a place in a short line
  /// (limits::kEffectQueueLowWater), from which new effects alone must not keep them.
  std::size_t room_for_claims(const SlotKey& key) const;
  /// All effects under way, of both kinds.
  std::size_t count() const;
  /// Those that wait, of both kinds.
  std::size_t waiting() const;
  ChannelUse use_of(ChannelAccountId account) const;

  /// Admits nothing more. Returns how many waited and will not be started.
  std::size_t close();
  /// False when some were still under way after `at_most`.
  bool wait_until_none(Duration at_most);

 private:
  /// What is remembered of a channel account; there are as many as are configured.
  struct Account {
    std::uint64_t dropped = 0;
    bool line_is_slow = false;  // the last effect that left its line had waited too long
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
