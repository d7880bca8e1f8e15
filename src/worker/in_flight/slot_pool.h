// A bounded number of slots and a bounded line, both divided by one rule: on each level a member may have as many as it
// leaves free for the others of that level. One member alone gets half, a second one half of the rest, and so on, so
// members that never release theirs leave room for one more.
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

/// Held as long as an effect is under way. Its end, on whatever path, releases the slot.
using Permit = std::shared_ptr<void>;

/// Which slots an effect may take: of a channel call those of the channel account, and of these the merchant's; of a
/// delivery the merchant's.
struct SlotKey {
  EffectKind kind = EffectKind::channel_call;
  ChannelAccountId account;  // 0: of a delivery, and of a call whose account is unknown; all of those share one
  MerchantId merchant;

  auto operator<=>(const SlotKey&) const = default;
};

/// The members that a key belongs to, from the widest level to the narrowest.
class SlotPath {
 public:
  explicit SlotPath(const SlotKey& key)
      : levels_{key.account.value, key.merchant.value}, first_(key.kind == EffectKind::delivery ? 1 : 0) {}

  std::span<const std::int64_t> members() const { return std::span(levels_).subspan(first_); }

 private:
  std::array<std::int64_t, 2> levels_;
  std::size_t first_;
};

/// The slots of all effects of one kind. Not thread safe: InFlightEffects locks.
class SlotPool {
 public:
  using Start = std::move_only_function<void(Permit)>;
  using Members = std::span<const std::int64_t>;
  /// An effect in the line.
  struct Waiting {
    SlotKey key;
    Start start;
  };
  struct Use {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;
  };

  SlotPool(std::size_t slots, std::size_t line_max) : slots_(slots), line_max_(line_max) {}

  /// How many more slots the members' narrowest one may take.
  std::size_t room(Members members) const { return left(members, slots_, &Use::in_flight); }
  /// What a member uses, given by itself and the wider ones around it. Of no members: what all use.
  Use use(Members members) const;

  /// REQUIRES: room() is not 0.
  void acquire(Members members);
  /// REQUIRES: a slot of these members was acquired.
  void release(Members members);
  /// False when the line is full for the members; `start` is then dropped.
  bool line_up(const SlotKey& key, Start start);
  /// Acquires a slot for the next effect in the line that has room, and returns it. On each level members that wait
  /// take turns. Empty when none has room.
  std::optional<Waiting> next();
  /// Empties the line and returns what was in it.
  std::vector<Start> clear_line();

 private:
  /// A member, with the members of the level below it.
  struct Share {
    Use use;
    std::map<std::int64_t, Share> parts;
    std::deque<std::int64_t> turns;  // of the parts with effects in the line, each once
    std::deque<Waiting> line;        // of a member of the lowest level

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
