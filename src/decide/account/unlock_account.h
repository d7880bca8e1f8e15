// Releases an account's lock before its time to live ends.
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

/// Requires the token of the current lock. Has no effect on an account that is not locked. Refuses with `not_found` (no
/// such account), `account_locked` (the token is not the token of the current lock).
Decision decide(const UnlockAccount& command, Context& context);

}  // namespace finality
