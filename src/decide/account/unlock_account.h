// Releases the lock of an account before its time to live ends.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct UnlockAccount {
  MerchantId merchant_id;
  AccountId account_id;
  std::string token;
};

void add_reads(const UnlockAccount& command, ReadSet& reads);

/// Only the token of the current lock frees it; an account that nobody holds is free already. Refuses: not_found,
/// account_locked (somebody else holds it now).
Decision decide(const UnlockAccount& command, Context& context);

}  // namespace finality
