#include "worker/statements/archived_lines.h"

#include <algorithm>

#include "worker/restore/order_restorer.h"

namespace finality {

Result<std::optional<ArchivedOrder>> find_archived(const MatchTask& task, const StatementLine& line,
                                                   const LineReads& reads, const WorkingSet& rows) {
  const bool is_known = !reads.payment_id || find_order(reads, rows) != nullptr;
  if (is_known || line.channel_trade_no.empty()) return std::nullopt;
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
