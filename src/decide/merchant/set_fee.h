// PUT /v1/fees/{channel}: what the channel's payments cost the merchant from now on.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct SetFee {
  MerchantId merchant_id;
  std::string channel;
  std::int64_t basis_points = 0;
  MinorUnits fixed = 0;
  std::optional<MinorUnits> minimum;
  std::optional<MinorUnits> maximum;
  bool refundable = false;
};

void add_reads(const SetFee& command, ReadSet& reads);

/// Payments that succeeded before keep the fee they were charged.
Decision decide(const SetFee& command, Context& context);

}  // namespace finality
