// Looks up and ends holds, for the commands that post, void or expire one.
#pragma once

#include <optional>

#include "decide/record.h"

namespace finality {

/// The refusal not_found of a hold that does not exist or is another merchant's.
std::unexpected<Refusal> no_such_hold();

/// The merchant's hold of that id, or null. REQUIRES: it was declared.
const Hold* find_hold(const Context& context, MerchantId merchant, HoldId id);

/// Ends the hold by `event`: the account holds its amount no longer. `journal`: what posted it.
void end_hold(Context& context, HoldId id, HoldEvent event, std::optional<EntryId> journal = {});

/// Refuses `event` with hold_not_open unless the hold is open and has not reached its expiry. A hold that has reached
/// it expires here, and the refusal is kept.
std::optional<Refusal> refused_when_not_open(Context& context, const Hold& hold, HoldEvent event);

}  // namespace finality
