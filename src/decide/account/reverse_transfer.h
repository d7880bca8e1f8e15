// POST /v1/transfers/reverse: moves the money of a transfer back, once.
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
  std::optional<std::string> lock_token{};  // of the credited account, where it is locked
};

void add_reads(const ReverseTransfer& command, ReadSet& reads);

/// Moves the money back. A reversal that arrives first leaves a tombstone, and the transfer is refused when it comes.
/// A transfer that was refused stays so; one that was reversed stays so. Rule: what the credited account cannot give
/// back now is not taken; the transfer stays posted and the reversal may be asked again. Refuses: account_locked,
/// account_frozen, account_closed, insufficient_balance.
Decision decide(const ReverseTransfer& command, Context& context);

}  // namespace finality
