// Calculates the fee of a payment, and the part of the fee that a refund returns to the merchant. Pure.
#pragma once

#include "model/objects/fee.h"

namespace finality::ledger {

/// Returns the fee of a payment of `amount`: fixed + amount × basis_points / 10,000, rounded half up to the minor unit.
/// The result is limited to [minimum, maximum] and never exceeds `amount`.
MinorUnits fee_for(const Fee& fee, MinorUnits amount);

/// Returns the total part of a refundable `fee` that is returned after refunds of `refunded` in total from a payment of
/// `amount`: proportional, rounded down. A full refund returns the whole fee. REQUIRES: 0 <= refunded <= amount,
/// amount > 0.
MinorUnits fee_returned_after(MinorUnits fee, MinorUnits refunded, MinorUnits amount);

}  // namespace finality::ledger
