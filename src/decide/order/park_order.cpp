#include "decide/order/park_order.h"

#include "decide/exception/open_case.h"

namespace finality {

void add_reads(const ParkOrder& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

void stop_work(OrderAggregate& aggregate) {
  aggregate.order.due_at.reset();
  for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
    if constexpr (RowTraits<ChildRow<decltype(member)>>::options.due != Due::never)
      for (auto& row : aggregate.*member) row.due_at.reset();
  });
}

Decision decide(const ParkOrder& command, Context& context) {
  if (context.rows.orders.find(command.order_id) == nullptr)
    return refuse(RefusalCode::not_found, "The order does not exist.");
  context.detail = BrokenRule{command.finding};
  OrderWriter writer(context, command.order_id);
  writer.order().parked = true;
  stop_work(writer.aggregate());
  writer.noted("parked");
  open_case(writer, CaseKind::invariant_violation, command.order_id);
  return CommandResult{.object = command.order_id};
}

}  // namespace finality
