// Ends an authorization: what it still holds is released.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Requests the end of an authorization that is `authorized`, for `reason`, unless its end was requested before. While
/// a capture is open or the order is parked, only stores the reason: the end of the capture or the release of the order
/// then requests the release. If nothing is held, the end also waits for a captured total. Otherwise applies the event
/// `release` and claims the request to release what is held, or ends the authorization if nothing is held. Does not
/// settle the order, unless the authorization ends.
void request_end(OrderWriter& writer, Authorization& authorization, EndReason reason);

/// Closes an authorization that is not final without a query of the channel (ClosePolicy::local). The channel is
/// queried afterwards until it holds nothing. Claims the request to release what it is known to hold. Does not settle
/// the order. REQUIRES: nothing of it was captured, and no capture of it is open.
void close_locally(OrderWriter& writer, Authorization& authorization);

/// Claims the request to release what a `releasing` or ended authorization still holds, unless the order is parked or a
/// capture is open. If no held amount is known, the request is to close the authorization. `is_new_number`: the last
/// request number cannot succeed any more. REQUIRES: the authorization is `authorized`, `releasing` or final.
void claim_release(OrderWriter& writer, Authorization& authorization, bool is_new_number);

/// As above. `held`: the amount to release. If the channel holds another currency than the authorization's, it is in
/// that currency, because the channel expects amounts in the currency of the hold; only release_amount stores it.
void claim_release(OrderWriter& writer, Authorization& authorization, bool is_new_number, MinorUnits held);

/// Whether the authorization is being released: it is `releasing`, or final and the channel still holds something. What
/// it holds in another currency is not booked: then the result of a release request is outstanding.
bool is_being_released(const OrderAggregate& aggregate, const Authorization& authorization);

}  // namespace finality
