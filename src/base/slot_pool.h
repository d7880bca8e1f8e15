// A bounded number of slots and a bounded queue, both shared fairly by the same rule. A member may use at most as many
// slots as it leaves free for the other members. The first member gets half of the slots, a second member half of the
// remaining slots, and so on. Members that never release their slots therefore leave slots for another member. Members
// can have own members, which share the part of their parent by the same rule: effects are shared among
// channel accounts, and among the merchants of each account; reads among merchants and client addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace finality {

/// Slots, and a queue of items that wait for a slot. Not thread safe: its owner holds a lock.
template <class Item>
class SlotPool {
 public:
  /// The members of an item, one per level, outermost first. All items of a pool have the same number of levels.
  using Members = std::span<const std::int64_t>;
  struct Use {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;
  };

  SlotPool(std::size_t slots, std::size_t line_max) : slots_(slots), line_max_(line_max) {}

  /// Returns the number of slots that an item with these members can still acquire.
  std::size_t room(Members members) const { return left(members, slots_, &Use::in_flight); }
  /// Returns the numbers of items in flight and queued of the last of these members. No members: of all items.
  Use use(Members members) const {
    const Share* share = &all_;
    for (const std::int64_t member : members)
      if (share != nullptr) share = share->find(member);
    return share == nullptr ? Use() : share->use;
  }

  /// Acquires a slot. REQUIRES: room(members) is not 0.
  void acquire(Members members) {
    Share* share = &all_;
    ++share->use.in_flight;
    for (const std::int64_t member : members) {
      share = &share->parts[member];
      ++share->use.in_flight;
    }
  }
  /// Releases a slot. REQUIRES: it was acquired with the same members.
  void release(Members members) { release(all_, members); }
  /// Appends an item to the queue. Returns false and leaves `item` unchanged if the members' share of the queue is
  /// full.
  bool line_up(Members members, Item&& item) {
    if (left(members, line_max_, &Use::waiting) == 0) return false;
    Share* share = &all_;
    ++share->use.waiting;
    for (const std::int64_t member : members) {
      Share& part = share->parts[member];
      if (++part.use.waiting == 1) share->turns.push_back(member);
      share = &part;
    }
    share->line.push_back(std::move(item));
    return true;
  }
  /// Removes the next queued item for which a slot is free, acquires the slot, and returns the item. Selects the
  /// members of each level in turn. Returns empty if no queued item can start.
  std::optional<Item> next() { return next(all_, slots_ - all_.use.in_flight); }
  /// Returns whether next() would return an item.
  bool can_start() const { return can_start(all_, slots_ - all_.use.in_flight); }
  /// Empties the queue and returns all queued items.
  std::vector<Item> clear_line() {
    std::vector<Item> cleared;
    clear_line(all_, cleared);
    return cleared;
  }

 private:
  /// The state of a member, with the states of its members on the next level.
  struct Share {
    Use use;
    std::map<std::int64_t, Share> parts;
    std::list<std::int64_t> turns;  // keys of the parts with queued items, next part first
    std::list<Item> line;           // queued items; only on the last level. A list: it allocates nothing while empty

    const Share* find(std::int64_t part) const {
      const auto at = parts.find(part);
      return at == parts.end() ? nullptr : &at->second;
    }
  };

  // Returns the number of further slots for a member with `own` slots, while `free` slots are free. Each acquired slot
  // reduces `free` and increases `own`; the member may continue while `own` is less than `free`.
  static std::size_t share_of(std::size_t free, std::size_t own) { return own < free ? (free - own + 1) / 2 : 0; }

  std::size_t left(Members members, std::size_t most, std::size_t Use::* used) const {
    std::size_t free = most - all_.use.*used;
    const Share* share = &all_;
    for (const std::int64_t member : members) {
      if (share != nullptr) share = share->find(member);
      free = share_of(free, share == nullptr ? 0 : share->use.*used);
    }
    return free;
  }

  static void release(Share& share, Members members) {
    --share.use.in_flight;
    if (members.empty()) return;
    const auto part = share.parts.find(members.front());
    release(part->second, members.subspan(1));
    if (part->second.use.in_flight == 0 && part->second.use.waiting == 0) share.parts.erase(part);
  }

  static std::optional<Item> next(Share& share, std::size_t room) {
    if (room == 0) return {};
    std::optional<Item> found;
    if (!share.line.empty()) {
      found = std::move(share.line.front());
      share.line.pop_front();
    }
    for (std::size_t i = share.turns.size(); i > 0 && !found; --i) {
      Share& part = share.parts.at(share.turns.front());
      found = next(part, share_of(room, part.use.in_flight));
      if (part.use.waiting > 0)
        share.turns.splice(share.turns.end(), share.turns, share.turns.begin());
      else
        share.turns.pop_front();
    }
    if (found) {
      --share.use.waiting;
      ++share.use.in_flight;
    }
    return found;
  }

  static bool can_start(const Share& share, std::size_t room) {
    if (room == 0) return false;
    if (!share.line.empty()) return true;
    for (const std::int64_t member : share.turns) {
      const Share& part = share.parts.at(member);
      if (can_start(part, share_of(room, part.use.in_flight))) return true;
    }
    return false;
  }

  static void clear_line(Share& share, std::vector<Item>& cleared) {
    for (Item& item : share.line) cleared.push_back(std::move(item));
    for (auto& [member, part] : share.parts) clear_line(part, cleared);
    std::erase_if(share.parts, [](const auto& entry) { return entry.second.use.in_flight == 0; });
    share.line.clear();
    share.turns.clear();
    share.use.waiting = 0;
  }

  std::size_t slots_;
  std::size_t line_max_;
  Share all_;
};

}  // namespace finality
