// Updates an order after a change of its payments. settle_order() is the only function that ends an order.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Moves the order to the state that follows from its payments. When the order ends, requests the close of its open
/// payments and notifies the merchant.
void settle_order(OrderWriter& writer);

/// Returns how many rows have paid the order as a whole: succeeded payments. An order is `succeeded` exactly when one
/// has.
std::int64_t count_winners(const OrderAggregate& aggregate);

/// Whether a payment of the order is about to be sent or its result is outstanding. While true, no further payment of
/// the order is sent.
bool is_order_soft(const OrderAggregate& aggregate);

/// Requests the close of the payment's trade at the channel and makes the payment due at `now`. The request stays set
/// until the trade is final at the channel.
void request_close(Payment& payment, Time now);

/// Sets the payment's due_at by its state, or clears it when no request is due
/// (docs/adr/0036-one-lifecycle-for-channel-requests.md).
void schedule(Context& context, const Order& order, Payment& payment);

}  // namespace finality
