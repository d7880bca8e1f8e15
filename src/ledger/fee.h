// Calculates the fee of a payment, and the part of the fee that a refund returns to the merchant. Pure.
#pragma once

#include "model/objects/fee.h"

namespace finality::ledger {

/// Returns the fee of a payment of `amount`: fixed + amount × basis_points / 10,000, rounded half up to the minor unit.
/// The result is limited to [minimum, maximum] and never exceeds `amount`.
MinorUnits fee_for(const Fee& fee, MinorUnits amount);

/// Returns the share of `total` in proportion to `part` of `whole`, rounded down. The share of the whole is `total`.
/// Example: the part of a refundable fee that is returned after refunds of `part` in total from a payment of `whole`.
/// REQUIRES: 0 <= part <= whole, whole > 0.
MinorUnits share_of(MinorUnits total, MinorUnits part, MinorUnits whole);

}  // namespace finality::ledger
