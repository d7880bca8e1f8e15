// Records the result of one attempt of a delivery.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RecordDelivery {
  MerchantId merchant_id;
  DeliveryId delivery_id;
  bool acknowledged = false;
  std::optional<std::int64_t> status;   // HTTP status of the response; empty: no response
  std::string error;                    // human-readable reason of the failure; empty when acknowledged
  std::optional<Duration> retry_after;  // the response's Retry-After
  bool gone = false;                    // response 410: disable the endpoint
};

void add_reads(const RecordDelivery& command, ReadSet& reads);
/// Ends an acknowledged delivery. Otherwise schedules the next attempt, or opens a case after the last attempt. Refuses
/// with `not_found` (no such delivery).
Decision decide(const RecordDelivery& command, Context& context);

}  // namespace finality
