// After its payments changed: what becomes of the order. The one place where an order ends.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Moves the order as its payments say: paid, closed, failed, soft or waiting; closes the siblings of a winner; tells
/// the merchant of an end.
void settle_order(OrderWriter& writer);

/// A payment of the order is about to be sent, or its result is outstanding. No other payment of the order is sent
/// meanwhile.
bool is_order_soft(const OrderAggregate& aggregate);

/// Asks that the payment's trade be closed upstream, from now on until it is final there.
void ask_to_close(Payment& payment, Time now);

/// When the row should be looked at next, by its state (docs/adr/0036-one-lifecycle-for-channel-requests.md).
void schedule(Context& context, const Order& order, Payment& payment);

}  // namespace finality
