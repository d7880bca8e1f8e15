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
  std::optional<std::int64_t> status;   // empty: no response
  std::string error;                    // for people; empty when acknowledged
  std::optional<Duration> retry_after;  // as the receiver requested
  bool gone = false;                    // 410: the endpoint is to be disabled
};

void add_reads(const RecordDelivery& command, ReadSet& reads);
Decision decide(const RecordDelivery& command, Context& context);

}  // namespace finality
