#include "decide/claim_payment.h"

#include "decide/settle_order.h"
#include "model/payer_link.h"

namespace finality {
namespace {

// The payer comes back to the shop by way of us: on the way the channel is asked.
ChannelCall call_of(const Context& context, ChannelCallKind kind, const Order& order, const Payment& payment,
                    Time deadline) {
  ChannelCall call{kind, order, payment, deadline, {}};
  const Merchant* merchant = context.rows.merchants.find(order.merchant_id);
  if (kind == ChannelCallKind::send_payment && order.return_url && merchant != nullptr)
    call.return_url = return_url(context.policy.public_url, *merchant, payment.id);
  return call;
}

}  // namespace

void add_needs(const ClaimPayment& command, Needs& needs) {
  needs.orders.push_back(command.order_id);
  needs.merchants.push_back(command.merchant_id);
}

void claim_send(OrderWriter& writer, Payment& payment) {
  Context& context = writer.context();
  const Time deadline = context.now + context.policy.channel_timeout;
  writer.step(payment, PaymentEvent::send);
  payment.send_deadline = deadline;
  if (!payment.owed_since) payment.owed_since = context.now;  // sent again: the answer is owed since the first time
  payment.due_at = deadline + limits::kEffectMargin;
  context.effects.emplace_back(call_of(context, ChannelCallKind::send_payment, writer.order(), payment, deadline));
}

void claim_call(Context& context, const Order& order, Payment& payment, ChannelCallKind kind) {
  const Time deadline = context.now + context.policy.channel_timeout;
  // A final payment that is asked about by hand is due no more, and stays so.
  if (payment.due_at) payment.due_at = deadline + limits::kEffectMargin;
  // Sent again it may still arrive: that there is no such trade is not believed before.
  if (kind == ChannelCallKind::send_payment) payment.send_deadline = deadline;
  context.effects.emplace_back(call_of(context, kind, order, payment, deadline));
}

namespace {

// Sending it again has to wait: another payment of the order is owed an answer (failures.md, invariant 10).
bool another_is_owed(const OrderAggregate& aggregate, const Payment& due) {
  return std::ranges::any_of(aggregate.payments, [&](const Payment& other) {
    return other.id != due.id && payment_machine.due_effect(other.state) == PaymentEffect::query;
  });
}

}  // namespace

Decision decide(const ClaimPayment& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Payment* due = found != nullptr ? find_row(found->payments, command.payment_id) : nullptr;
  if (due == nullptr || due->due_at != command.due_at) return Done{command.payment_id};

  if (payment_machine.due_effect(due->state) != PaymentEffect::send) {
    OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
    // Closing begins by asking, too: the trade may have been paid since we last heard (blueprint §5).
    claim_call(context, aggregate.order, *find_row(aggregate.payments, command.payment_id),
               ChannelCallKind::query_payment);
    return Done{command.payment_id};
  }

  const bool is_wanted = !due->close_asked && !found->order.close_requested;
  if (is_wanted && another_is_owed(*found, *due)) {
    Payment& waiting = *find_row(context.rows.orders.change(command.order_id).payments, command.payment_id);
    waiting.due_at = context.now + context.policy.query_pause(context.now - waiting.created_at);
    return Done{command.payment_id};
  }

  OrderWriter writer(context, command.order_id);
  Payment& payment = *find_row(writer.aggregate().payments, command.payment_id);
  if (payment.close_asked || writer.order().close_requested) {
    // Nothing is sent any more, and the channel has said that it knows nothing of it.
    writer.step(payment, PaymentEvent::absent_while_closing);
    payment.close_asked = false;
    payment.final_evidence_at = context.now;
    payment.owed_since.reset();
    schedule(context, writer.order(), payment);
    settle_order(writer);
  } else {
    claim_send(writer, payment);
  }
  return Done{command.payment_id};
}

}  // namespace finality
