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
  std::optional<MinorUnits> amount;  // empty: the whole held amount; a smaller amount releases the difference
  std::optional<std::string> lock_token;
};

void add_reads(const PostHold& command, ReadSet& reads);

/// Refuses with `not_found` (no such hold), `hold_not_open` (the hold has ended, has reached its expiry or belongs to
/// an authorization), `amount_exceeds_hold`, `account_locked` (no or wrong lock token), `account_frozen`,
/// `account_closed`. Except for `hold_not_open`, a refused hold stays open and can be posted later.
Decision decide(const PostHold& command, Context& context);

}  // namespace finality
