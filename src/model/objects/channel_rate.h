// Channel rate (渠道费率): the fee that a channel charges the platform, from one day on. Statements of the channel are
// compared with it. A Fee is different: it is what a merchant pays to the platform.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// A rate applies from `from_date` until the `from_date` of the next rate with the same channel account, method and
/// currency. These four columns are unique. Amounts are in minor units of the payment's currency.
struct ChannelRate {
  ChannelRateId id;
  ChannelAccountId channel_account_id;
  std::optional<std::string> method;  // empty: all methods
  std::optional<Currency> currency;   // empty: all currencies
  std::int64_t basis_points = 0;      // proportional fee in 1/10,000 of the amount
  MinorUnits fixed = 0;
  std::optional<MinorUnits> minimum;
  std::optional<MinorUnits> maximum;
  std::string from_date;  // YYYY-MM-DD, a day of the channel's statements
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(ChannelRate, (),
                      (id, channel_account_id, method, currency, basis_points, fixed, minimum, maximum, from_date,
                       created_at, version))
FINALITY_ROW(ChannelRate, "channel_rates", root, "id", "channel_account_id method currency from_date created_at",
             .about = "the fee that a channel charges the platform (渠道费率), from one day on", .owner = Owner::none)

}  // namespace finality
