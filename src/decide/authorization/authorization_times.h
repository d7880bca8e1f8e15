// The times of an authorization: the deadline of captures, the notice before it, and when the authorization is due.
#pragma once

#include "decide/context.h"

namespace finality {

/// Returns when the hold began that the evidence reports first: the time that the channel states, otherwise that of the
/// report. Not after now and not before the authorization was created, so that no clock of a channel makes the deadline
/// later than one after the arrival, or earlier than one after the creation.
Time hold_began_at(const Authorization& authorization, const AuthorizationEvidence& evidence, Time now);

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
