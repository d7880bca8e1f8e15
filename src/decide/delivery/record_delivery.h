// One attempt of a delivery was made; this is what came of it.
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
  std::optional<std::int64_t> status;   // empty: no answer
  std::string error;                    // for people; empty when acknowledged
  std::optional<Duration> retry_after;  // what the receiver asked for
  bool gone = false;                    // 410: the endpoint wants nothing more
};

void add_reads(const RecordDelivery& command, ReadSet& reads);
Decision decide(const RecordDelivery& command, Context& context);

}  // namespace finality
