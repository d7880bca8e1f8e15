// Starts the closing of an order, for the commands that cancel or expire it.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Whether the order can start to close: it is neither final, nor closing, nor parked.
bool may_close(const Order& order);

/// Stores the request to close on the order and carries it out as far as possible now. Open payments are closed
/// locally, or queried and closed at the channel. In the second case the channel's evidence ends the order later.
/// REQUIRES: may_close().
void begin_close(OrderWriter& writer, ClosedReason reason);

}  // namespace finality
