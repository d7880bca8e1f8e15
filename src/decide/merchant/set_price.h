// PUT /v1/prices/{name}: sets a price of the merchant's price list.
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

/// Creates the price or replaces its amount and currency. Applies to later transfers; existing transfers do not change.
Decision decide(const SetPrice& command, Context& context);

}  // namespace finality
