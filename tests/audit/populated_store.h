// A store that contains every kind of row in every state, written by real commands through a real engine.
//
// Its orders are named after their outcome: succeeded, failed, closed, pending, waiting, processing, closing,
// paid_late, returned, blocked, wrong, underpaid, after_failure, external, contradicted, refunded, parked, idempotent;
// by_wallet, too_poor, by_closed (the account that paid it is closed now), charged and charged_wallet (with a fee).
// Archived orders are refunded, reversed, closed, paid and refunded over the wallet, and refused by the wallet.
//
// Orders with manual capture: authorized, capturing (C-open), captured_twice (C-first, C-refused, C-last; R-captured),
// released, lapsed, late_hold, over_captured, captured_elsewhere; wallet_authorized, wallet_captured (C-wallet),
// wallet_released, wallet_declined.
//
// The accounts are named in the same way: bank, rich, poor, frozen, locked, unlocked, closed. The transfers include
// T-posted, T-priced, T-unpriced, T-refused, T-reversed, T-tombstone; the holds are H-held, H-posted, H-voided,
// H-expired. The unknown receipts are T-unknown, T-contradicted, T-assigned and T-cancelled. The price list has tea.
// The channels sandbox and wallet charge a fee.
//
// The adjustments have their names as notes: opening, debt, owed, penalty, loss, gain, rejected, proposed.
#pragma once

#include <string>

namespace finality::audit {

/// Fills the store that `url` names, which must be empty, and closes it.
void write_populated_store(const std::string& url);

}  // namespace finality::audit
