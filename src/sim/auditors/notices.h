// Counts the deliveries of a commit, for the auditors of notifications.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/working_set.h"

namespace finality::sim {

/// Returns the number of addresses to which a notification about the order is delivered. If an endpoint is disabled
/// later in the same batch, there are more deliveries than that.
inline std::int64_t addresses_of(const Order& order, const WorkingSet& rows) {
  std::int64_t count = order.notify_url ? 1 : 0;
  if (rows.endpoints.loaded(order.merchant_id))
    for (const WebhookEndpoint& endpoint : *rows.endpoints.find(order.merchant_id))
      count += endpoint.state == EndpointState::enabled && endpoint.types.empty();
  return count;
}

/// Returns the number of deliveries of that type that the commit creates for the order.
inline std::int64_t new_deliveries_of(const Order& order, std::string_view type, const WorkingSet& rows) {
  std::int64_t count = 0;
  rows.deliveries.each([&](const auto&, const auto& base, const auto& now) {
    count += !base && now && now->delivery.order_id == order.id && now->delivery.type == type;
  });
  return count;
}

}  // namespace finality::sim
