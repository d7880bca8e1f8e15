// What an authorization still holds, and the captures of an authorization.
#pragma once

#include <string>

#include "model/aggregate.h"

namespace finality {

/// Returns the amount that the channel still holds: the authorized amount minus the receipts of all captures of the
/// authorization, in any state, and minus what was released. Money in suspense has left the hold too.
MinorUnits held_of(const OrderAggregate& aggregate, const Authorization& authorization);

/// Returns the amount by which the booked captures and releases exceed the authorized amount; 0 if nothing was
/// captured.
MinorUnits captured_above_hold(const Authorization& authorization);

/// Returns the authorization's capture whose result is not known; null if it has none.
const Capture* open_capture_of(const OrderAggregate& aggregate, AuthorizationId authorization);

/// Whether the capture was booked from a captured total: the channel captured without a request, and did not report it.
bool is_from_total(const Capture& capture);

/// Whether the capture was booked from a captured total, and the number of its trade is not known yet.
bool is_unnumbered(const Capture& capture);

/// Whether the trade of our failed capture is a part of a captured total that was booked before: the capture has a case
/// `conflicting_result`, and no receipt.
bool is_in_total(const OrderAggregate& aggregate, const Capture& capture);

/// Returns the capture from a captured total as which the trade of our failed `capture` was booked; null if its trade
/// was not booked so, or as a part of a greater amount.
const Capture* booked_as(const OrderAggregate& aggregate, const Capture& capture);

/// Returns the part of the authorization's captures without a number that the trades of our failed captures do not
/// explain: 0 if these trades are all that the captured totals contain.
MinorUnits unexplained_of(const OrderAggregate& aggregate, AuthorizationId authorization);

/// Returns the channel's number of the authorization; ours if the channel has not reported one. The trade of a capture
/// that was booked from a captured total has this number.
const std::string& trade_no_of(const Authorization& authorization);

/// Whether the authorization holds an amount for the order: it is authorized, or being released for another reason than
/// `late`.
bool is_holder(const Authorization& authorization);

/// Returns the authorization that holds an amount for the order; null if there is none. There is at most one.
const Authorization* holder_of(const OrderAggregate& aggregate);

}  // namespace finality
