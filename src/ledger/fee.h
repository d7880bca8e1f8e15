// Calculates the fee of a payment and the part of it that a refund returns. Pure.
#pragma once

#include "model/objects/fee.h"

namespace finality::ledger {

/// fixed + amount × basis_points / 10,000, rounded half up to the minor unit; then limited to [minimum, maximum], and
/// never more than the amount.
MinorUnits fee_for(const Fee& fee, MinorUnits amount);

/// The part of a refundable `fee` that is returned once `refunded` of `amount` is refunded: proportional, rounded down.
/// A full refund returns the whole fee. REQUIRES: 0 <= refunded <= amount, amount > 0.
MinorUnits fee_returned_after(MinorUnits fee, MinorUnits refunded, MinorUnits amount);

}  // namespace finality::ledger
