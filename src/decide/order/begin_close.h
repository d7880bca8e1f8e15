// Starts the closing of an order, for the commands that cancel or expire it.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Whether the order can start to close: it is neither final, nor closing, nor parked.
bool may_close(const Order& order);

/// Stores the close request on the order. Depending on the order's close policy, open payments and authorizations are
/// closed locally and the order ends now; or they are queried and closed at the channel, and the channel's evidence
/// ends the order later. An authorization that holds an amount is released; if something was captured, or the result of
/// a capture is outstanding, the evidence ends the order also with the policy `local`. REQUIRES: may_close().
void begin_close(OrderWriter& writer, ClosedReason reason);

}  // namespace finality
