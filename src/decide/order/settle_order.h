// Updates an order after a change of its payments. No other function moves an order to a final state.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Moves the order to the state that follows from its payments. When the order ends, requests the close of the payments
/// that are still open and notifies the merchant.
void settle_order(OrderWriter& writer);

/// Whether a payment of the order is about to be sent, or its result is outstanding. No other payment of the order is
/// sent meanwhile.
bool is_order_soft(const OrderAggregate& aggregate);

/// Requests the close of the payment's trade at the channel, from now on until the trade is final there.
void request_close(Payment& payment, Time now);

/// Sets the payment's due_at by its state (docs/adr/0036-one-lifecycle-for-channel-requests.md).
void schedule(Context& context, const Order& order, Payment& payment);

}  // namespace finality
