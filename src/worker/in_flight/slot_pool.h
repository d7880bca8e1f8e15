// A bounded number of slots and a bounded queue, both shared by the same rule. Slots are shared on two levels: among
// channel accounts, and among the merchants of each account. On each level, a member may use at most as many slots as
// it leaves free for the other members. The first member gets half of the slots, a second member half of the remaining
// slots, and so on. Members that never release their slots therefore leave slots for another member.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/ids.h"

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

/// Slots and queue for all effects of one kind. Not thread safe: InFlightEffects holds a lock.
class SlotPool {
 public:
  using Start = std::move_only_function<void(Permit)>;
  using Members = std::span<const std::int64_t>;
  /// A queued effect: its key, and the callback that starts it.
  struct Waiting {
    SlotKey key;
    Start start;
  };
  struct Use {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;
  };

  SlotPool(std::size_t slots, std::size_t line_max) : slots_(slots), line_max_(line_max) {}

  /// Returns the number of slots that an effect with these members can still acquire.
  std::size_t room(Members members) const { return left(members, slots_, &Use::in_flight); }
  /// Returns the numbers of effects in flight and queued of the last of these members. No members: of all effects.
  Use use(Members members) const;

  /// Acquires a slot. REQUIRES: room(members) is not 0.
  void acquire(Members members);
  /// Releases a slot. REQUIRES: it was acquired with the same members.
  void release(Members members);
  /// Appends an effect to the queue. Returns false and drops `start` if the key's share of the queue is full.
  bool line_up(const SlotKey& key, Start start);
  /// Removes the next queued effect for which a slot is free, acquires the slot, and returns the effect. Selects the
  /// members of each level in turn. Returns empty if no queued effect can start.
  std::optional<Waiting> next();
  /// Empties the queue and returns the callbacks of all queued effects.
  std::vector<Start> clear_line();

 private:
  /// The state of a member, with the states of its members on the next level.
  struct Share {
    Use use;
    std::map<std::int64_t, Share> parts;
    std::deque<std::int64_t> turns;  // keys of the parts with queued effects, next part first
    std::deque<Waiting> line;        // queued effects; only on the last level

    const Share* find(std::int64_t part) const;
  };

  std::size_t left(Members members, std::size_t most, std::size_t Use::* used) const;
  static void release(Share& share, Members members);
  static std::optional<Waiting> next(Share& share, std::size_t room);
  static void clear_line(Share& share, std::vector<Start>& cleared);

  std::size_t slots_;
  std::size_t line_max_;
  Share all_;
};

}  // namespace finality
