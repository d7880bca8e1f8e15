// PUT /v1/fees/{channel}: sets the merchant's fee for payments over the channel.
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

/// Creates the fee or replaces its values. Applies to payments that succeed later; fees already charged do not change.
Decision decide(const SetFee& command, Context& context);

}  // namespace finality
