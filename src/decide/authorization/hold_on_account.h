// Authorizations over the channel `wallet`: the amount is held on a user account of Finality's ledger
// (docs/adr/0049-wallet-authorization-is-a-hold.md). The hold is part of the commit that creates the authorization, so
// the result is known immediately. SettleWalletHold posts or voids the hold.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Holds the amount on the account. The authorization becomes `authorized`, or fails with the code of the refused debit
/// as failure_code. Settles the order. REQUIRES: check_wallet() and add_wallet_reads() (pay_from_account.h).
void hold_on_account(OrderWriter& writer, Authorization& authorization);

}  // namespace finality
