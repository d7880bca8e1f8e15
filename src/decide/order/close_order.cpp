#include "decide/order/close_order.h"

#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

// Closes a payment without the channel's word; from now on its trade is chased upstream.
void close_locally(OrderWriter& writer, Payment& payment) {
  Context& context = writer.context();
  writer.step(payment, PaymentEvent::close_locally);
  payment.close_pending = true;
  payment.final_evidence_at = context.now;
  payment.due_at = context.now;
}

// The intention is remembered on the order, and carried out as far as it can be now.
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
      ask_to_close(payment, context.now);
  }
  settle_order(writer);

  // Whoever asks is not made to wait for the next scan: the channel is asked at once.
  for (Payment& payment : writer.aggregate().payments)
    if (payment.due_at && payment.close_pending && payment.state != PaymentState::created)
      ask_channel(context, writer.aggregate(), payment, ChannelCallKind::query_payment);
}

bool may_close(const Order& order) {
  return !order_machine.is_final(order.state) && !order.close_requested && !order.parked;
}

}  // namespace

void add_reads(const CloseOrder& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const CloseOrder& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "There is no such order.");
  const OrderState state = found->order.state;
  if (context.cell(order_machine, state, OrderEvent::close_requested).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::order_succeeded, "The order has been paid. To give the money back, refund it.", {},
                  std::string(name_of(state)));
  if (found->order.parked)
    return refuse(RefusalCode::illegal_transition, "The order is in the exception queue.", {},
                  std::string(name_of(state)));
  if (may_close(found->order)) {
    OrderWriter writer(context, command.order_id);
    begin_close(writer, command.reason);
  }
  return CommandResult{.object = command.order_id};
}

void add_reads(const ExpireOrder& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const ExpireOrder& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.due_at != command.due_at || !may_close(found->order))
    return CommandResult{.object = command.order_id};
  OrderWriter writer(context, command.order_id);
  begin_close(writer, ClosedReason::expired);
  return CommandResult{.object = command.order_id};
}

}  // namespace finality
