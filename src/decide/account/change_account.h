// Freezes, unfreezes or closes an account of a user.
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

/// What has been done already is done again without a change. Refuses: not_found, account_closed, illegal_transition
/// (a close with money or holds in it).
Decision decide(const ChangeAccount& command, Context& context);

}  // namespace finality
