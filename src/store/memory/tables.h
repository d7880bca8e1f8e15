// Tables of the in-memory store: rows, an index of due rows, ids in use, and node leases.
#pragma once

#include <map>
#include <set>
#include <shared_mutex>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/id.h"
#include "model/row_types.h"
#include "store/store.h"

namespace finality::memory {

template <class AnId, class Row>
using Rows = std::unordered_map<AnId, Row>;

struct Node {
  std::int64_t token = 0;  // fencing token; incremented by every lease
  Time ids_until;
  bool leased = false;
};

/// Type of the table for one map of the working set. The table maps a key to an aggregate, to a row, or to a merchant's
/// list of rows.
template <class Map>
using TableOf =
    std::unordered_map<typename MapTraits<Map>::Key, typename MapTraits<Map>::Value, typename MapTraits<Map>::Hash>;

template <class Descriptor>
using IsMapOfRows =
    boost::mp11::mp_bool<kSlotMap<MemberType<Descriptor>> && !boost::mp11::mp_empty<RowsInMember<Descriptor>>::value>;
template <class Descriptor>
using TableOfMember = TableOf<MemberType<Descriptor>>;

/// All tables of a store, without a lock. A new store contains the platform, as after the migration of a database.
struct Contents {
  Contents();

  boost::mp11::mp_apply<
      std::tuple, boost::mp11::mp_transform<TableOfMember, boost::mp11::mp_copy_if<WorkingSetMembers, IsMapOfRows>>>
      maps;
  std::unordered_map<std::int64_t, std::vector<Event>> events;  // by the root's id; each list is sorted by event id
  std::map<EntryId, Entry> entries;
  std::map<std::pair<StatementId, std::int64_t>, StatementPart> statement_parts;
  std::map<OrderId, ArchivedOrder> archived_orders;  // this store archives nothing: only tests fill it

  /// Maps the id of a child to its root, and the id of a row in a merchant's list to the merchant.
  std::map<ObjectRef, ObjectRef> roots;
  std::unordered_set<std::int64_t> idempotency_record_ids;
  std::unordered_set<Hash16, Hash16Hasher> api_key_hashes;

  std::map<std::pair<Time, ObjectRef>, DueRow> due;
  std::map<std::int64_t, Node> nodes;

  /// Returns the table whose values have type T.
  template <class T>
  auto& of() {
    return std::get<TableOf<std::remove_cvref_t<decltype(map_of<T>(std::declval<WorkingSet&>()))>>>(maps);
  }
  template <class T>
  const auto& of() const {
    return std::get<TableOf<std::remove_cvref_t<decltype(map_of<T>(std::declval<WorkingSet&>()))>>>(maps);
  }

  /// Returns the id of the root of `child` if that id has type AnId; otherwise the id 0.
  template <class AnId>
  AnId root_of(ObjectRef child) const {
    const auto at = roots.find(child);
    return at != roots.end() && at->second.type == AnId::type ? AnId{at->second.value} : AnId{};
  }

  void set_due(const DueRow& row, const std::optional<Time>& before, const std::optional<Time>& after) {
    if (before == after) return;
    if (before) due.erase({*before, row.row});
    if (!after) return;
    DueRow& added = due[{*after, row.row}];
    added = row;
    added.due_at = *after;
  }
};

/// The event with which the platform (kPlatform) was created.
inline Event creation_of(const Merchant& platform) {
  return {.root_id = platform.id.value,
          .id = EventId{1},
          .merchant_id = platform.id,
          .root_type = ObjectType::merchant,
          .object_type = ObjectType::merchant,
          .object_id = platform.id.value,
          .event = "created",
          .to_state = "active",
          .cause = CauseKind::operator_,
          .at = platform.created_at};
}

inline Contents::Contents() {
  const Merchant platform{.id = kPlatform, .name = "platform", .created_at = Time{kIdEpochMs}};
  of<Merchant>().emplace(platform.id, platform);
  events[platform.id.value] = {creation_of(platform)};
}

struct Tables : Contents {
  mutable std::shared_mutex mutex;  // guards all members; readers lock it shared
};

/// Returns a pointer to the value of key `id`; null if absent.
template <class Map>
auto* find_in(Map& map, const typename std::remove_const_t<Map>::key_type& id) {
  const auto at = map.find(id);
  return at == map.end() ? nullptr : &at->second;
}

}  // namespace finality::memory
