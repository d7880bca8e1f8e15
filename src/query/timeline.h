// Timeline of an order: the events, requests, notifications, ledger entries, deliveries and exception cases of the
// order and its payments, refunds and reversals.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "model/refusal.h"
#include "store/store.h"
#include "wire/audience.h"

namespace finality::query {

/// The source of a timeline item. Items with the same time are listed in this order.
enum class TimelineSource : std::uint8_t { order_event, wallet_event, delivery, delivery_event, case_without_event };

/// Position of an item in the timeline. It depends only on stored rows that never change, so that items keep their
/// positions while the timeline grows.
struct TimelinePlace {
  Time at;
  TimelineSource source = TimelineSource::order_event;
  std::int64_t row = 0;   // id of the event, delivery or case
  std::uint8_t part = 0;  // an event can have several items

  friend auto operator<=>(const TimelinePlace&, const TimelinePlace&) = default;
};

/// Returns the id of the item at that place: `tli_…`. Clients must treat it as opaque.
std::string to_text(const TimelinePlace& place);
/// Returns the place of the item with that id; empty if the text has not the form of such an id.
std::optional<TimelinePlace> parse_timeline_place(std::string_view text);

struct TimelineItem {
  TimelinePlace place;
  std::string json;  // JSON object {id, at, kind, summary, object_id, detail}
};

/// Bounds of one page of the timeline, like Page, its audience, and whether its reader is still there.
struct TimelinePage {
  wire::Audience audience = wire::Audience::merchant;  // the summaries contain only what this audience receives
  std::size_t limit = limits::kTimelineLimitMax;
  std::optional<TimelinePlace> after{};
  std::optional<TimelinePlace> before{};
  /// Once this is set, the client no longer waits for the page, and reading it ends with the refusal `busy`. Null:
  /// never.
  std::shared_ptr<const std::atomic<bool>> closed{};
};

/// Returns one page, oldest item first. Reads all events of the order, however small the page is; renders only the
/// items of the page. Refuses with `not_found` (no such order of this merchant), `archived` (the order was archived) or
/// `storage_read_error` (the store could not be read).
std::expected<Listed<TimelineItem>, Refusal> read_timeline(Reader& reader, MerchantId merchant, OrderId id,
                                                           const TimelinePage& page);

}  // namespace finality::query
