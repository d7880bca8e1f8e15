// PUT /v1/prices/{name}: the price list.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct SetPrice {
  MerchantId merchant_id;
  std::string name;
  MinorUnits amount = 0;
  Currency currency;
  std::optional<std::string> note;
};

void add_reads(const SetPrice& command, ReadSet& reads);

/// Transfers made before keep the amount they were charged.
Decision decide(const SetPrice& command, Context& context);

}  // namespace finality
