// InFlightEffects limits the number of effects in flight and queues effects that wait for a slot.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "base/limits.h"
#include "base/slot_pool.h"
#include "model/effect.h"

namespace finality {

enum class EffectKind : std::uint8_t { channel_call, delivery };

/// Represents one acquired slot. Destruction of the last copy releases the slot.
using Permit = std::shared_ptr<void>;

/// Identifies the slots that an effect may use: for a channel call, the merchant's share of the slots of the channel
/// account; for a delivery, the merchant's share of the slots for deliveries.
struct SlotKey {
  EffectKind kind = EffectKind::channel_call;
  ChannelAccountId account;  // 0 for a delivery, and for a call whose account is unknown
  MerchantId merchant;

  auto operator<=>(const SlotKey&) const = default;
};

/// The members of a key in the order of the levels: account and merchant for a channel call, merchant for a delivery.
class SlotPath {
 public:
  explicit SlotPath(const SlotKey& key)
      : levels_{key.account.value, key.merchant.value}, first_(key.kind == EffectKind::delivery ? 1 : 0) {}

  std::span<const std::int64_t> members() const { return std::span(levels_).subspan(first_); }

 private:
  std::array<std::int64_t, 2> levels_;
  std::size_t first_;
};

/// Returns the key of the slots that the effect may use: channel account and merchant for a request to a channel, and
/// the merchant for a delivery.
SlotKey slot_key_of(const Effect& effect);

/// Numbers of requests to one channel account: in flight, queued, and dropped.
struct ChannelUse {
  std::size_t in_flight = 0;
  std::size_t waiting = 0;
  std::uint64_t dropped = 0;  // total since the process started
};

/// Bulkheads between channel accounts and between merchants. A channel account may use at most as many slots as it
/// leaves free for other accounts, so an account that does not respond cannot occupy all slots. The same rule divides
/// the slots of an account among its merchants, the slots for deliveries among merchants, and the places in the queue.
/// Requests to channels and deliveries have separate slots. Queued effects of accounts start in turn, and within an
/// account those of its merchants.
///
/// Thread safe. Permits may outlive the last other reference to this object.
class InFlightEffects : public std::enable_shared_from_this<InFlightEffects> {
 public:
  /// Callback that starts an effect. Called without a lock, on the thread of the caller or the thread that released a
  /// slot.
  using Start = std::move_only_function<void(Permit)>;

  static std::shared_ptr<InFlightEffects> create();

  /// Acquires a slot. The slot is released when the last copy of the permit is destroyed. Returns null if the key has
  /// no free slot, or after close().
  Permit admit(const SlotKey& key);
  /// Starts the effect immediately if the key has a free slot; otherwise queues it. Returns false and drops the effect
  /// if the key's share of the queue is full, or after close().
  bool admit_or_wait(const SlotKey& key, Start start);
  /// Counts an effect that was dropped because the queue was full or the effect waited too long. Until an effect of the
  /// account leaves the queue in time, room_for_claims() returns only the free slots of the account.
  void count_dropped(const SlotKey& key);
  /// Returns the number of due rows with that key that may be claimed: the number of free slots, plus free places in
  /// the queue up to limits::kEffectQueueLowWater. The places in the queue ensure that due rows do not starve.
  std::size_t room_for_claims(const SlotKey& key) const;
  /// Returns the number of effects in flight: requests to channels and deliveries.
  std::size_t count() const;
  /// Returns the number of queued effects: requests to channels and deliveries.
  std::size_t waiting() const;
  /// Returns the numbers of the account; all are 0 if it had no effects yet.
  ChannelUse use_of(ChannelAccountId account) const;

  /// Rejects all further effects and drops the queued effects. Returns the number of dropped effects.
  std::size_t close();
  /// Waits at most `at_most` until no effect is in flight. Returns false if effects are still in flight then.
  bool wait_until_none(Duration at_most);

 private:
  /// State of a channel account.
  struct Account {
    std::uint64_t dropped = 0;
    bool line_is_slow = false;  // an effect was dropped, and none has left the queue in time since
  };

  /// A queued effect.
  struct Waiting {
    SlotKey key;
    Start start;
  };
  using EffectSlots = SlotPool<Waiting>;

  InFlightEffects() = default;
  EffectSlots& pool_of(EffectKind kind) { return kind == EffectKind::delivery ? deliveries_ : calls_; }
  const EffectSlots& pool_of(EffectKind kind) const { return kind == EffectKind::delivery ? deliveries_ : calls_; }
  Permit admit_locked(const SlotKey& key);
  Permit permit_of(const SlotKey& key);
  std::size_t count_locked() const;
  std::size_t waiting_locked() const;
  void end(const SlotKey& key);

  mutable std::mutex mutex_;
  std::condition_variable none_;
  EffectSlots calls_{limits::kChannelCallsInFlightMax, limits::kEffectsQueuedMax};
  EffectSlots deliveries_{limits::kDeliveriesInFlightMax, limits::kEffectsQueuedMax};
  std::map<ChannelAccountId, Account> accounts_;
  bool closed_ = false;
};

}  // namespace finality
