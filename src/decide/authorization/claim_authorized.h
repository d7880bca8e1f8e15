// What an authorization does when it is due while it is `authorized`.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// At the deadline of captures, captures or releases what is held, as the order requires (on_capture_deadline). While a
/// capture is open, the deadline waits for its result. Before the deadline, sends the event authorization.expiring
/// once, and otherwise queries the channel whether it still holds the amount. REQUIRES: the authorization is
/// `authorized`, and the order is not parked.
void act_on_authorized(OrderWriter& writer, Authorization& authorization);

}  // namespace finality
