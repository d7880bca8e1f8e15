#include "decide/query_payment.h"

#include "decide/claim_payment.h"

namespace finality {

void add_needs(const QueryPayment& command, Needs& needs) {
  needs.payments.push_back(command.payment_id);
  needs.merchants.push_back(command.merchant_id);
}

Decision decide(const QueryPayment& command, Context& context) {
  const OrderId* order_id = context.rows.order_of_payment.find(command.payment_id);
  const OrderAggregate* found = order_id != nullptr ? context.rows.orders.find(*order_id) : nullptr;
  if (found == nullptr || found->order.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "There is no such payment.");

  OrderAggregate& aggregate = context.rows.orders.change(*order_id);
  Payment& payment = *find_row(aggregate.payments, command.payment_id);
  if (payment.state == PaymentState::created || payment.account_id)  // nobody else could be asked
    return Done{command.payment_id, false, aggregate.order.id};
  claim_call(context, aggregate.order, payment, ChannelCallKind::query_payment);
  return Done{command.payment_id, false, aggregate.order.id};
}

}  // namespace finality
