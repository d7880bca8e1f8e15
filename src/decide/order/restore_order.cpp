#include "decide/order/restore_order.h"

#include <algorithm>

namespace finality {

void add_reads(const RestoreOrder& command, ReadSet& reads) {
  reads.owners.push_back(command.merchant_id);
  reads.orders.push_back(command.restored.order->rows.order.id);
}

Decision decide(const RestoreOrder& command, Context& context) {
  const Order& order = command.restored.order->rows.order;
  if (order.merchant_id != command.merchant_id) return refuse(RefusalCode::not_found, "The order does not exist.");
  auto& restored = context.rows.restored_orders;
  const bool is_pending = std::ranges::any_of(
      restored, [&order](const RestoredOrder& one) { return one.order->rows.order.id == order.id; });
  if (!is_pending && context.rows.orders.find(order.id) == nullptr) restored.push_back(command.restored);
  return CommandResult{.object = order.id};
}

}  // namespace finality
