// Timeline of an order: the events, requests, notifications, ledger entries, deliveries and exception cases of the
// order and its payments, refunds and reversals.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

struct TimelineItem {
  Time at;
  std::size_t position = 0;  // sort order among items with the same time
  std::string json;          // JSON object {at, kind, summary, object_id, detail}
};

/// Returns the first `limit` items, oldest first. Refuses with `not_found` (no such order of this merchant), `archived`
/// (the order was archived) or `storage_read_error` (the store could not be read).
std::expected<Listed<TimelineItem>, Refusal> read_timeline(Reader& reader, MerchantId merchant, OrderId id,
                                                           std::size_t limit);

}  // namespace finality::query
