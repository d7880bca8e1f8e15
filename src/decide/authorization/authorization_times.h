// The times of an authorization: the deadline of captures, the notice before it, and when the authorization is due.
#pragma once

#include "decide/context.h"

namespace finality {

/// Returns the deadline of captures: `capture_within` of the order after the hold began, but before the hold ends at
/// the channel. Empty if no end is known. REQUIRES: authorized_at is set.
std::optional<Time> capture_deadline(const Policy& policy, const Order& order, const Authorization& authorization);

/// Returns the end of the hold minus the margin: as the channel has reported it, otherwise by the channel's terms.
/// Empty if neither is known. REQUIRES: authorized_at is set.
std::optional<Time> end_with_margin(const Policy& policy, const Authorization& authorization);

/// Whether the event authorization.expiring is to be sent now.
bool is_expiring(const Policy& policy, const Authorization& authorization, Time now);

/// Whether the authorization has reached the deadline of captures.
bool has_passed_deadline(const Authorization& authorization, Time now);

}  // namespace finality
