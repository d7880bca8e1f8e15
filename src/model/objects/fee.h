// Fee: terms under which a merchant is charged for payments over a channel.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// There is one fee per merchant and channel. Amounts are in minor units of the payment's currency.
struct Fee {
  FeeId id;
  MerchantId merchant_id;
  std::string channel;
  std::int64_t basis_points = 0;  // proportional fee in 1/10,000 of the amount
  MinorUnits fixed = 0;
  std::optional<MinorUnits> minimum;
  std::optional<MinorUnits> maximum;
  bool refundable = false;  // a refund returns a part of the fee, in proportion to the refunded amount
  Time created_at;
  Time changed_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Fee, (),
                      (id, merchant_id, channel, basis_points, fixed, minimum, maximum, refundable, created_at,
                       changed_at, version))
FINALITY_ROW(Fee, "fees", root, "id", "merchant_id channel created_at",
             .about = "the fee of the merchant's payments over a channel, from its last change on")

}  // namespace finality
