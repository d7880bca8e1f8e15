// A bounded number of slots and a bounded queue, both divided by one rule. A member is a channel account on the first
// level or a merchant on the second level. On each level a member may have as many slots as it leaves free for the
// other members of that level. A single member gets half of the slots, a second member half of the remaining slots, and
// so on. Members that never release their slots still leave a slot for one more member.
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

/// Held while an effect is in flight. Its destruction releases the slot on every path.
using Permit = std::shared_ptr<void>;

/// Identifies the slots that an effect may take. A channel call uses slots of its channel account, and of those the
/// merchant's share. A delivery uses the merchant's share.
struct SlotKey {
  EffectKind kind = EffectKind::channel_call;
  ChannelAccountId account;  // 0 for deliveries and for calls whose account is unknown; those calls share one account
  MerchantId merchant;

  auto operator<=>(const SlotKey&) const = default;
};

/// The members that a key names, from the widest level to the narrowest.
class SlotPath {
 public:
  explicit SlotPath(const SlotKey& key)
      : levels_{key.account.value, key.merchant.value}, first_(key.kind == EffectKind::delivery ? 1 : 0) {}

  std::span<const std::int64_t> members() const { return std::span(levels_).subspan(first_); }

 private:
  std::array<std::int64_t, 2> levels_;
  std::size_t first_;
};

/// The slots of all effects of one kind. Not thread safe; InFlightEffects locks.
class SlotPool {
 public:
  using Start = std::move_only_function<void(Permit)>;
  using Members = std::span<const std::int64_t>;
  /// A queued effect.
  struct Waiting {
    SlotKey key;
    Start start;
  };
  struct Use {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;
  };

  SlotPool(std::size_t slots, std::size_t line_max) : slots_(slots), line_max_(line_max) {}

  /// The number of further slots that the narrowest of these members may take.
  std::size_t room(Members members) const { return left(members, slots_, &Use::in_flight); }
  /// The resource use of a member, identified by its path from the widest level. An empty path returns the total use.
  Use use(Members members) const;

  /// REQUIRES: room() is not 0.
  void acquire(Members members);
  /// REQUIRES: a slot of these members was acquired.
  void release(Members members);
  /// Appends to the queue. Returns false and drops `start` if the members' share of the queue is full.
  bool line_up(const SlotKey& key, Start start);
  /// Acquires a slot for the next queued effect that has room, and returns the effect. Waiting members of each level
  /// take turns. Returns empty if no effect has room.
  std::optional<Waiting> next();
  /// Empties the queue and returns its contents.
  std::vector<Start> clear_line();

 private:
  /// A member and its members on the next level.
  struct Share {
    Use use;
    std::map<std::int64_t, Share> parts;
    std::deque<std::int64_t> turns;  // the parts that have queued effects, each once
    std::deque<Waiting> line;        // on the lowest level only

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
