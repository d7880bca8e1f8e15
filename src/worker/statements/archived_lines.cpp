#include "worker/statements/archived_lines.h"

#include <algorithm>

#include "worker/restore/order_restorer.h"

namespace finality {

Result<std::optional<ArchivedOrder>> find_archived(const MatchTask& task, const StatementLine& line,
                                                   const LineReads& reads, const WorkingSet& rows) {
  if (find_order(reads, rows) != nullptr) return std::nullopt;
  if (const auto order = reads.order_id ? reads.order_id : order_of_trade(reads, rows))
    return task.reader.archived_order(*order);
  if (!reads.payment_id || line.channel_trade_no.empty()) return std::nullopt;
  return archived_order_of_trade(task.reader, reads.merchant_id, task.account.channel, line.channel_trade_no);
}

Result<void> restore_orders(const MatchTask& task, std::vector<ArchivedOrder> orders) {
  if (orders.empty()) return {};
  std::ranges::sort(orders, {}, &ArchivedOrder::id);
  const auto repeated = std::ranges::unique(orders, {}, &ArchivedOrder::id);
  orders.erase(repeated.begin(), repeated.end());
  return task.restore(orders);
}

}  // namespace finality
