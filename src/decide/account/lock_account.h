// Locks an account (账户锁). The lock is a lease with an owner, a time to live and a fencing token. While the account
// is locked, a debit requires the token; credits do not. Comparison with the lock of seed 004: docs/guide/accounts.md.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct LockAccount {
  MerchantId merchant_id;
  AccountId account_id;
  std::string owner;
  Duration ttl{};
  std::string nonce;                 // makes the token unguessable
  std::optional<std::string> token;  // token of the current lock: the lease is renewed under the same token
};

void add_reads(const LockAccount& command, ReadSet& reads);

/// The result shows the lock with its token. Refuses: not_found, account_locked, account_closed.
Decision decide(const LockAccount& command, Context& context);

}  // namespace finality
