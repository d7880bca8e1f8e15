#include "decide/payment/query_payment.h"

#include "decide/channel/channel_operation.h"
#include "decide/payment/find_payment.h"

namespace finality {

void add_reads(const QueryPayment& command, ReadSet& reads) {
  reads.payments.push_back(command.payment_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const QueryPayment& command, Context& context) {
  const Payment* known = find_payment(context.rows, command.payment_id).payment;
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The payment does not exist.");

  OrderAggregate& aggregate = context.rows.orders.change(known->order_id);
  Payment& payment = *find_row(aggregate.payments, command.payment_id);
  if (payment.state == PaymentState::created || payment.account_id)  // not sent yet, or a wallet payment
    return CommandResult{.object = command.payment_id, .home = aggregate.order.id};
  call_channel(context, aggregate, payment, ChannelCallKind::query_payment);
  return CommandResult{.object = command.payment_id, .home = aggregate.order.id};
}

}  // namespace finality
