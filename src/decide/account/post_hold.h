// POST /v1/holds/{id}/post (确认): pays all or part of a hold to its credit account and releases the remaining amount.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct PostHold {
  MerchantId merchant_id;
  HoldId hold_id;
  std::optional<MinorUnits> amount;  // empty: the whole hold; otherwise the remaining amount is released
  std::optional<std::string> lock_token;
};

void add_reads(const PostHold& command, ReadSet& reads);

/// A hold cannot be posted from the instant of its expiry, even when the expiry has not been recorded yet. The hold of
/// a frozen account is refused and stays open. Refuses: not_found, hold_not_open, amount_exceeds_hold, account_frozen,
/// account_closed, account_locked.
Decision decide(const PostHold& command, Context& context);

}  // namespace finality
