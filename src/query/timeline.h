// Everything that happened to an order and all that hangs on it, told in order, for an operator at night.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

struct TimelineItem {
  Time at;
  std::size_t position = 0;  // among all that was written
  std::string json;          // {at, kind, summary, object_id, detail}
};

/// Oldest first, at most `limit`; has_more when there is more. Refuses: not_found, storage_read_error.
std::expected<Listed<TimelineItem>, Refusal> read_timeline(Reader& reader, MerchantId merchant, OrderId id,
                                                           std::size_t limit);

}  // namespace finality::query
