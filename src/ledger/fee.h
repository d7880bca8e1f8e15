// What a payment costs the merchant. Pure.
#pragma once

#include "model/objects/fee.h"

namespace finality::ledger {

/// fixed + amount × basis_points / 10,000, rounded half up to the minor unit; then not below the minimum, not above the
/// maximum, and never more than the amount.
MinorUnits fee_for(const Fee& fee, MinorUnits amount);

/// How much of a refundable `fee` has gone back once `refunded` of `amount` has: its share, rounded down. All of it
/// when everything is refunded. REQUIRES: 0 <= refunded <= amount, amount > 0.
MinorUnits fee_returned_after(MinorUnits fee, MinorUnits refunded, MinorUnits amount);

}  // namespace finality::ledger
