#include "decide/order/begin_close.h"

#include <algorithm>

#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

// Closes a payment without a query of the channel. The worker closes the payment's trade at the channel afterwards,
// unless it is paid.
void close_locally(OrderWriter& writer, Payment& payment) {
  if (is_under_review(payment)) return end_review(writer, payment, PaymentEvent::close_locally);
  Context& context = writer.context();
  writer.step(payment, PaymentEvent::close_locally);
  payment.close_pending = true;
  payment.final_evidence_at = context.now;
  payment.due_at = context.now;
}

void close(OrderWriter& writer, Payment& payment) {
  if (payment_machine.is_final(payment.state)) return;
  if (writer.order().close_policy == ClosePolicy::local)
    close_locally(writer, payment);
  else if (!is_under_review(payment))  // the decision of operators ends it
    request_close(payment, writer.context().now);
}

// Whether nothing of the authorization was captured, and no capture has an unknown result.
bool is_untouched(const OrderAggregate& aggregate, const Authorization& authorization) {
  return authorization.captured_amount == 0 && open_capture_of(aggregate, authorization.id) == nullptr;
}

void close(OrderWriter& writer, Authorization& authorization) {
  if (authorization_machine.is_final(authorization.state)) return;
  if (writer.order().close_policy == ClosePolicy::local && is_untouched(writer.aggregate(), authorization))
    close_locally(writer, authorization);
  else if (is_before_hold(authorization))
    request_close(authorization, writer.context().now);
  else if (authorization.state == AuthorizationState::authorized)
    request_end(writer, authorization, EndReason::order_closed);
}

// Queries the channel about a row whose close was requested, in this commit instead of in the next scan, because the
// client may wait for the result.
template <class Row>
void query_closing(OrderWriter& writer, Row& row) {
  if (row.due_at && row.close_pending && row.state != decltype(row.state)::created)
    call_channel(writer.context(), writer.aggregate(), row, ChannelOperation<Row>::query);
}

}  // namespace

void begin_close(OrderWriter& writer, ClosedReason reason) {
  OrderAggregate& aggregate = writer.aggregate();
  Order& order = aggregate.order;
  writer.step(OrderEvent::close_requested, true);
  order.close_requested = true;
  order.close_reason = reason;
  order.due_at.reset();
  for (Payment& payment : aggregate.payments) close(writer, payment);
  for (Authorization& authorization : aggregate.authorizations) close(writer, authorization);
  settle_order(writer);

  for (Payment& payment : aggregate.payments) query_closing(writer, payment);
  for (Authorization& authorization : aggregate.authorizations)
    if (!is_being_released(aggregate, authorization)) query_closing(writer, authorization);
}

bool may_close(const Order& order) {
  return !order_machine.is_final(order.state) && !order.close_requested && !order.parked;
}

}  // namespace finality
