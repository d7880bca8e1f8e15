// Starts the closing of an order, for the commands that cancel or expire it.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Whether the order can start to close: it is neither final, nor closing, nor parked.
bool may_close(const Order& order);

/// Stores the close request on the order. Depending on the order's close policy, open payments are closed locally and
/// the order ends now; or they are queried and closed at the channel, and the channel's evidence ends the order later.
/// REQUIRES: may_close().
void begin_close(OrderWriter& writer, ClosedReason reason);

}  // namespace finality
