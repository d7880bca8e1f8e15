#include "decide/order/close_order.h"

#include <fmt/format.h>

#include "decide/order/begin_close.h"

namespace finality {

void add_reads(const CloseOrder& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const CloseOrder& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The order does not exist.");
  const OrderState state = found->order.state;
  if (context.cell(order_machine, state, OrderEvent::close_requested).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::order_succeeded,
                  fmt::format("The order has been paid. Refund its {} instead.",
                              found->order.capture_method == CaptureMethod::manual ? "captures" : "payment"),
                  {}, std::string(name_of(state)));
  if (found->order.parked)
    return refuse(RefusalCode::illegal_transition,
                  "The order is parked: operators must resolve its case in the exception queue first.", {},
                  std::string(name_of(state)));
  if (may_close(found->order)) {
    OrderWriter writer(context, command.order_id);
    begin_close(writer, command.reason);
  }
  return CommandResult{.object = command.order_id};
}

}  // namespace finality
