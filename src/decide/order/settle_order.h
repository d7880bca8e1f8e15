// Updates an order after a change of its payments or authorizations. settle_order() is the only function that ends an
// order.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Moves the order to the state that follows from its payments or authorizations. When the order ends or is authorized,
/// requests the close of its other open rows and notifies the merchant. When its hold has been released, closes it.
/// Fails the payments under review of an order that has ended: it can no longer be accepted as paid.
void settle_order(OrderWriter& writer);

/// Returns how many rows have paid the order as a whole: succeeded payments, or captured authorizations. An order is
/// `succeeded` exactly when one has.
std::int64_t count_winners(const OrderAggregate& aggregate);

/// Whether a payment or authorization of the order is about to be sent, its result is outstanding, or a payment is
/// under review. While true, no further one of the order is sent.
bool is_order_soft(const OrderAggregate& aggregate);

/// Fails a payment under review: operators reject its amount (`event` mismatch_rejected), or its order has ended
/// (`event` close_locally). Its receipt stays in suspense until it is returned. REQUIRES: the payment is under review.
void end_review(OrderWriter& writer, Payment& payment, PaymentEvent event);

/// Requests the close of the payment's trade, or of an authorization that holds nothing, at the channel and makes the
/// row due at `now`. The request stays set until the row is final at the channel.
void request_close(Payment& payment, Time now);
void request_close(Authorization& authorization, Time now);

/// Whether the authorization is open, and nothing of it is known to be held.
bool is_before_hold(const Authorization& authorization);

/// Sets the row's due_at by its state, or clears it when no request is due
/// (docs/adr/0036-one-lifecycle-for-channel-requests.md). REQUIRES: the order was loaded.
void schedule(Context& context, const Order& order, Payment& payment);
void schedule(Context& context, const Order& order, Authorization& authorization);

}  // namespace finality
