// PUT /v1/channel_rates: sets the fee that a channel charges the platform from one day on.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct SetChannelRate {
  ChannelAccountId channel_account_id;
  std::optional<std::string> method;  // empty: all methods
  std::optional<Currency> currency;   // empty: all currencies
  std::int64_t basis_points = 0;
  MinorUnits fixed = 0;
  std::optional<MinorUnits> minimum;
  std::optional<MinorUnits> maximum;
  std::string from_date;  // YYYY-MM-DD
};

/// Returns the natural key of the rate that the command sets.
Hash16 key_of(const SetChannelRate& command);

void add_reads(const SetChannelRate& command, ReadSet& reads);

/// Creates the rate, or replaces the values of the rate with the same channel account, method, currency and date.
/// Refuses with `not_found` (the channel account does not exist) or `invalid_request` (the channel does not have the
/// method, or the account is a bank account). Accepts every method of a channel that is not in the policy.
Decision decide(const SetChannelRate& command, Context& context);

}  // namespace finality
