// Freezes, unfreezes or closes a user account.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

/// REQUIRES: `event` is freeze, unfreeze or close.
struct ChangeAccount {
  MerchantId merchant_id;
  AccountId account_id;
  AccountEvent event = AccountEvent::freeze;
};

void add_reads(const ChangeAccount& command, ReadSet& reads);

/// Repeating a change has no effect. Refuses: not_found, account_closed, illegal_transition (closing an account with a
/// balance or holds).
Decision decide(const ChangeAccount& command, Context& context);

}  // namespace finality
