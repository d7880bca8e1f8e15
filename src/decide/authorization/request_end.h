// Ends an authorization: what it still holds is released.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Requests the end of an authorization that is `authorized`, for `reason`. While a capture is open, only stores the
/// reason: the end of the capture then requests the release. Otherwise applies the event `release` and claims the
/// request to release what is held, or ends the authorization if nothing is held. Does not settle the order.
void request_end(OrderWriter& writer, Authorization& authorization, EndReason reason);

/// Claims the request to release what a `releasing` or ended authorization still holds, unless the order is parked or a
/// capture is open. `is_new_number`: the last request number cannot succeed any more.
void claim_release(OrderWriter& writer, Authorization& authorization, bool is_new_number);

}  // namespace finality
