#include "decide/order/begin_close.h"

#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

// Closes a payment without a query of the channel. The worker closes the payment's trade at the channel afterwards.
void close_locally(OrderWriter& writer, Payment& payment) {
  Context& context = writer.context();
  writer.step(payment, PaymentEvent::close_locally);
  payment.close_pending = true;
  payment.final_evidence_at = context.now;
  payment.due_at = context.now;
}

}  // namespace

void begin_close(OrderWriter& writer, ClosedReason reason) {
  Context& context = writer.context();
  Order& order = writer.order();
  writer.step(OrderEvent::close_requested, true);
  order.close_requested = true;
  order.close_reason = reason;
  order.due_at.reset();
  for (Payment& payment : writer.aggregate().payments) {
    if (payment_machine.is_final(payment.state)) continue;
    if (order.close_policy == ClosePolicy::local)
      close_locally(writer, payment);
    else
      request_close(payment, context.now);
  }
  settle_order(writer);

  // Queries the channel in this commit instead of in the next scan, because the client may wait for the result.
  for (Payment& payment : writer.aggregate().payments)
    if (payment.due_at && payment.close_pending && payment.state != PaymentState::created)
      call_channel(context, writer.aggregate(), payment, ChannelCallKind::query_payment);
}

bool may_close(const Order& order) {
  return !order_machine.is_final(order.state) && !order.close_requested && !order.parked;
}

}  // namespace finality
