#include "decide/order/expire_order.h"

#include "decide/order/begin_close.h"

namespace finality {

void add_reads(const ExpireOrder& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const ExpireOrder& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.due_at != command.due_at || !may_close(found->order) ||
      order_machine.due_effect(found->order.state) != OrderEffect::expire)  // an authorized order does not expire
    return CommandResult{.object = command.order_id};
  OrderWriter writer(context, command.order_id);
  begin_close(writer, ClosedReason::expired);
  return CommandResult{.object = command.order_id};
}

}  // namespace finality
