// Looks up and ends holds, for the commands that post, void or expire one.
#pragma once

#include <optional>

#include "decide/record.h"

namespace finality {

/// The refusal not_found for a hold that does not exist or belongs to another merchant.
std::unexpected<Refusal> no_such_hold();

/// The merchant's hold with that id, or null. REQUIRES: it was declared.
const Hold* find_hold(const Context& context, MerchantId merchant, HoldId id);

/// Ends the hold by `event` and releases its amount from the account's `held`. `journal`: id of the posting's first
/// entry; empty when nothing is posted.
void end_hold(Context& context, HoldId id, HoldEvent event, std::optional<EntryId> journal = {});

/// Refuses `event` with hold_not_open unless the hold is open and has not reached its expiry. An open hold that has
/// reached its expiry expires here, and the expiry is committed.
std::optional<Refusal> refused_when_not_open(Context& context, const Hold& hold, HoldEvent event);

}  // namespace finality
