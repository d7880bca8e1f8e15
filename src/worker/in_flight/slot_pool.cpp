#include "worker/in_flight/slot_pool.h"

#include <utility>

namespace finality {
namespace {

// Returns the number of further slots for a member with `own` slots, while `free` slots are free. Each acquired slot
// reduces `free` and increases `own`; the member may continue while `own` is less than `free`.
std::size_t share_of(std::size_t free, std::size_t own) { return own < free ? (free - own + 1) / 2 : 0; }

}  // namespace

const SlotPool::Share* SlotPool::Share::find(std::int64_t part) const {
  const auto at = parts.find(part);
  return at == parts.end() ? nullptr : &at->second;
}

std::size_t SlotPool::left(Members members, std::size_t most, std::size_t Use::* used) const {
  std::size_t free = most - all_.use.*used;
  const Share* share = &all_;
  for (const std::int64_t member : members) {
    if (share != nullptr) share = share->find(member);
    free = share_of(free, share == nullptr ? 0 : share->use.*used);
  }
  return free;
}

SlotPool::Use SlotPool::use(Members members) const {
  const Share* share = &all_;
  for (const std::int64_t member : members)
    if (share != nullptr) share = share->find(member);
  return share == nullptr ? Use() : share->use;
}

void SlotPool::acquire(Members members) {
  Share* share = &all_;
  ++share->use.in_flight;
  for (const std::int64_t member : members) {
    share = &share->parts[member];
    ++share->use.in_flight;
  }
}

void SlotPool::release(Members members) { release(all_, members); }

void SlotPool::release(Share& share, Members members) {
  --share.use.in_flight;
  if (members.empty()) return;
  const auto part = share.parts.find(members.front());
  release(part->second, members.subspan(1));
  if (part->second.use.in_flight == 0 && part->second.use.waiting == 0) share.parts.erase(part);
}

bool SlotPool::line_up(const SlotKey& key, Start start) {
  const SlotPath path(key);
  if (left(path.members(), line_max_, &Use::waiting) == 0) return false;
  Share* share = &all_;
  ++share->use.waiting;
  for (const std::int64_t member : path.members()) {
    Share& part = share->parts[member];
    if (++part.use.waiting == 1) share->turns.push_back(member);
    share = &part;
  }
  share->line.push_back({key, std::move(start)});
  return true;
}

std::optional<SlotPool::Waiting> SlotPool::next() { return next(all_, slots_ - all_.use.in_flight); }

std::optional<SlotPool::Waiting> SlotPool::next(Share& share, std::size_t room) {
  if (room == 0) return {};
  std::optional<Waiting> found;
  if (!share.line.empty()) {
    found = std::move(share.line.front());
    share.line.pop_front();
  }
  for (std::size_t i = share.turns.size(); i > 0 && !found; --i) {
    const std::int64_t member = share.turns.front();
    share.turns.pop_front();
    Share& part = share.parts.at(member);
    found = next(part, share_of(room, part.use.in_flight));
    if (part.use.waiting > 0) share.turns.push_back(member);
  }
  if (found) {
    --share.use.waiting;
    ++share.use.in_flight;
  }
  return found;
}

std::vector<SlotPool::Start> SlotPool::clear_line() {
  std::vector<Start> cleared;
  clear_line(all_, cleared);
  return cleared;
}

void SlotPool::clear_line(Share& share, std::vector<Start>& cleared) {
  for (Waiting& waiting : share.line) cleared.push_back(std::move(waiting.start));
  for (auto& [member, part] : share.parts) clear_line(part, cleared);
  std::erase_if(share.parts, [](const auto& entry) { return entry.second.use.in_flight == 0; });
  share.line.clear();
  share.turns.clear();
  share.use.waiting = 0;
}

}  // namespace finality
