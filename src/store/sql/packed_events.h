// Conversion between events (model/objects/event.h) and the rows that store them (model/objects/change.h), for the
// database stores. docs/adr/0062-changes.md describes the format; the view `events` of the schema reads it too.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/objects/change.h"
#include "store/sql/paging.h"

namespace finality::store {

/// Whether the event requires a check of its order against the money identities (ADR 0044): a posting, or a state that
/// can require one.
bool is_checked(const Event& event);

/// Returns the rows that store the events, sorted by root and id. Events of the same root, version, cause, detail and
/// time share a row; only the first may have another detail.
std::vector<Change> pack(std::span<const Event> events);

/// Returns the events of the row, oldest first. The error names the row.
Result<std::vector<Event>> unpack(const Change& change);

/// Returns the events of all rows, in their order.
Result<std::vector<Event>> unpack(std::span<const Change> changes);

/// Reads a page of the events of a root. `read`: returns at most `limit` changes of the root in a window of their ids,
/// in the window's order. With `object`, only the events of that object. REQUIRES: the page has one bound at most.
template <class Read>  // Result<std::vector<Change>>(const Window&, std::size_t limit)
Result<Listed<Event>> page_of_events(const std::optional<ObjectRef>& object, const Page& page, bool oldest_first,
                                     Read read) {
  const Window wanted(page, oldest_first);
  std::vector<Event> found;
  const auto take = [&](const std::vector<Change>& changes) -> Result<void> {
    for (const Change& change : changes) {
      auto events = unpack(change);
      if (!events) return std::unexpected(events.error());
      if (!wanted.upwards) std::ranges::reverse(*events);
      for (Event& event : *events)
        if (event.id.value > wanted.above && event.id.value < wanted.below &&
            (!object || *object == ObjectRef(event.object_type, event.object_id)))
          found.push_back(std::move(event));
    }
    return {};
  };
  // A change has the id of its first event, so the change that begins before the window can have events in it.
  Window next = wanted;
  if (wanted.above != Window::kNone) {
    const auto first = read(Window({.limit = 1, .after = wanted.above + 1}, false), 1);
    if (!first) return std::unexpected(first.error());
    if (auto taken = take(*first); !taken) return std::unexpected(taken.error());
  }
  for (bool has_more = true; has_more && found.size() <= page.limit;) {
    const auto changes = read(next, page.limit + 1);
    if (!changes) return std::unexpected(changes.error());
    if (auto taken = take(*changes); !taken) return std::unexpected(taken.error());
    has_more = changes->size() > page.limit;
    if (has_more) (next.upwards ? next.above : next.below) = changes->back().id.value;
  }
  if (found.size() > page.limit + 1) found.resize(page.limit + 1);
  return cut(std::move(found), page);
}

}  // namespace finality::store
