// The account lock (账户锁): a lease with an owner, a time to live and a fencing token. While it lasts nothing leaves
// the account without its token; money may still come in. What seed 004's lock gets wrong: docs/guide/accounts.md.
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
  std::optional<std::string> token;  // of the lock that is held: the lease is renewed, its token stays
};

void add_reads(const LockAccount& command, ReadSet& reads);

/// Shows the lock with its token. Refuses: not_found, account_locked, account_closed.
Decision decide(const LockAccount& command, Context& context);

}  // namespace finality
