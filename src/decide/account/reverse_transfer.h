// POST /v1/transfers/reverse: reverses a transfer, once.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ReverseTransfer {
  MerchantId merchant_id;
  std::string source;
  std::string reference;
  std::optional<std::string> lock_token{};  // token of the lock on the transfer's credit account, if locked
};

void add_reads(const ReverseTransfer& command, ReadSet& reads);

/// A reversal that arrives before its transfer creates a tombstone, and the transfer is refused when it arrives. A
/// refused or reversed transfer is returned unchanged. Refuses with `account_locked` (no or wrong lock token),
/// `account_frozen`, `account_closed`, `insufficient_balance`. After a refusal the transfer stays posted, and the
/// reversal can be repeated.
Decision decide(const ReverseTransfer& command, Context& context);

}  // namespace finality
