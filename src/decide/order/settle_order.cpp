#include "decide/order/settle_order.h"

#include <algorithm>

#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"

namespace finality {
namespace {

bool is_open(const Payment& payment) { return !payment_machine.is_final(payment.state); }

// Whether the payment is about to be sent or its result is outstanding.
bool is_soft(const Payment& payment) {
  return payment.state == PaymentState::created || payment.state == PaymentState::processing;
}

// Whether the order has as many payments as Order::attempts allows. Closed payments are included.
bool attempts_used_up(const OrderAggregate& aggregate) {
  return aggregate.order.attempts && static_cast<std::int64_t>(aggregate.payments.size()) >= *aggregate.order.attempts;
}

void end_order(OrderWriter& writer, OrderEvent event) {
  writer.step(event);
  Order& order = writer.order();
  order.due_at.reset();
  if (order.state == OrderState::closed) order.closed_at = writer.context().now;
  for (Payment& payment : writer.aggregate().payments)
    if (is_open(payment)) request_close(payment, writer.context().now);
  notify_order_ended(writer);
}

}  // namespace

std::int64_t count_winners(const OrderAggregate& aggregate) {
  return std::ranges::count(aggregate.payments, PaymentState::succeeded, &Payment::state);
}

bool is_order_soft(const OrderAggregate& aggregate) { return std::ranges::any_of(aggregate.payments, is_soft); }

void request_close(Payment& payment, Time now) {
  if (payment.close_pending) return;
  payment.close_pending = true;
  payment.due_at = now;
}

void schedule(Context& context, const Order& order, Payment& payment) {
  const PaymentEffect effect = payment_machine.due_effect(payment.state);
  const bool over = effect == PaymentEffect::none || (effect == PaymentEffect::chase && !payment.close_pending);
  const bool idle = order.parked || (over && !payment.query_total_of);
  if (idle) {
    payment.due_at.reset();
    return;
  }
  // A payment that is to be sent although its close is requested is due now: its claim closes it instead.
  const bool ends = is_to_be_sent(payment) && (payment.close_pending || order.close_requested);
  const Time next_query = context.now + context.policy.query_pause(context.now - payment.created_at);
  payment.due_at = ends ? context.now : next_look(context, payment, PaymentEvent::already_known).value_or(next_query);
}

void settle_order(OrderWriter& writer) {
  OrderAggregate& aggregate = writer.aggregate();
  Order& order = aggregate.order;
  if (order_machine.is_final(order.state)) return;

  if (count_winners(aggregate) > 0) return end_order(writer, OrderEvent::paid);
  const bool open = std::ranges::any_of(aggregate.payments, is_open);
  if (!open && order.close_requested) return end_order(writer, OrderEvent::closed);
  if (!open && attempts_used_up(aggregate)) return end_order(writer, OrderEvent::attempts_used_up);
  writer.step(is_order_soft(aggregate) ? OrderEvent::result_outstanding : OrderEvent::result_received);
}

}  // namespace finality
