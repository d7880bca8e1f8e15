// Freezes, unfreezes or closes a user account.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

/// Command to freeze, unfreeze or close an account. REQUIRES: `event` is freeze, unfreeze or close.
struct ChangeAccount {
  MerchantId merchant_id;
  AccountId account_id;
  AccountEvent event = AccountEvent::freeze;
};

void add_reads(const ChangeAccount& command, ReadSet& reads);

/// Repeating a change has no effect. Refuses with `not_found` (no such account), `account_closed` (freeze or unfreeze
/// of a closed account), `illegal_transition` (close of an account with a balance or open holds).
Decision decide(const ChangeAccount& command, Context& context);

}  // namespace finality
