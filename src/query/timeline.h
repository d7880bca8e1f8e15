// Timeline of an order: events, requests, notifications, entries, deliveries and cases of the order and its objects.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

struct TimelineItem {
  Time at;
  std::size_t position = 0;  // order of items with the same time
  std::string json;          // {at, kind, summary, object_id, detail}
};

/// At most `limit` items, oldest first; has_more if there are more. Refuses: not_found, archived, storage_read_error.
std::expected<Listed<TimelineItem>, Refusal> read_timeline(Reader& reader, MerchantId merchant, OrderId id,
                                                           std::size_t limit);

}  // namespace finality::query
