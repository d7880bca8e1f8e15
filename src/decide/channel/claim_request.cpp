#include "decide/channel/claim_request.h"

#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

bool is_unwanted(const Order& order, const Payment& payment) { return payment.close_pending || order.close_requested; }

// Closes a payment that is due to be sent but whose close is requested. The channel has no trade to close.
void close_unsent(OrderWriter& writer, Payment& payment) {
  Context& context = writer.context();
  writer.step(payment, PaymentEvent::not_found_while_closing);
  payment.close_pending = false;
  payment.final_evidence_at = context.now;
  payment.outstanding_since.reset();
  settle_overdue(writer, payment);
  schedule(context, writer.order(), payment);
  settle_order(writer);
}

template <ChannelOperationRow Row>
void claim(const ClaimRequest& command, Context& context) {
  const decltype(Row::id) id{command.row.value};
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Row* due = found != nullptr ? find_row(children_in<Row>(*found), id) : nullptr;
  if (due == nullptr || due->due_at != command.due_at || found->order.parked) return;

  if (!is_to_be_sent(*due)) {
    // A payment whose close is requested is queried first, because it may have been paid since the last query.
    OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
    return call_channel(context, aggregate, *find_row(children_in<Row>(aggregate), id), ChannelOperation<Row>::query);
  }
  OrderWriter writer(context, command.order_id);
  Row& row = *find_row(children_in<Row>(writer.aggregate()), id);
  if constexpr (std::is_same_v<Row, Payment>)
    if (is_unwanted(writer.order(), row)) return close_unsent(writer, row);
  claim_send(writer, row);
}

}  // namespace

void add_reads(const ClaimRequest& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const ClaimRequest& command, Context& context) {
  visit_channel_operation(command.row.type, [&]<class Row>(std::type_identity<Row>) { claim<Row>(command, context); });
  return CommandResult{.object = command.row};
}

}  // namespace finality
