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
  std::optional<std::string> lock_token{};  // of the transfer's credit account, when it is locked
};

void add_reads(const ReverseTransfer& command, ReadSet& reads);

/// A reversal that arrives before its transfer creates a tombstone, and the transfer is refused when it arrives. A
/// refused or reversed transfer does not change. When the transfer's credit account cannot be debited, the transfer
/// stays posted and the reversal can be repeated. Refuses: account_locked, account_frozen, account_closed,
/// insufficient_balance.
Decision decide(const ReverseTransfer& command, Context& context);

}  // namespace finality
