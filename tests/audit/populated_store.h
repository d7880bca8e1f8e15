// A store in which everything has happened, written by real commands through a real engine.
//
// Its orders are called by what became of them: succeeded, failed, closed, pending, waiting, processing, closing,
// in_vain, returned, blocked, wrong, after_failure, external, contradicted, refunded, parked, idempotent; by_wallet,
// too_poor, by_closed (the account that paid it is closed now), charged and charged_wallet (with a fee). Orders that
// were refunded, reversed, closed, paid and refunded over the wallet, and refused by it have been archived.
//
// So are its accounts: bank, rich, poor, frozen, locked, unlocked, closed; its transfers: T-posted, T-priced,
// T-unpriced, T-refused, T-reversed, T-tombstone and more; its holds: H-held, H-posted, H-voided, H-expired. The price
// list has tea; sandbox and wallet cost a fee.
#pragma once

#include <string>

namespace finality::audit {

/// Makes the store that `url` names such a one, and closes it. There must be nothing in it.
void write_populated_store(const std::string& url);

}  // namespace finality::audit
