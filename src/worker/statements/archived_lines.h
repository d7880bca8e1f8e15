// Lines of statements whose orders are archived. The comparison needs the rows of an order, so it is restored first
// (docs/adr/0045-archive-waits-for-statements.md).
#pragma once

#include <optional>
#include <vector>

#include "decide/statement/compare_line.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Returns the archived order of the payment or capture that the line reports; empty if `rows` contain the order, or if
/// it is not archived. `rows`: loaded as add_reads() states.
Result<std::optional<ArchivedOrder>> find_archived(const MatchTask& task, const StatementLine& line,
                                                   const LineReads& reads, const WorkingSet& rows);

/// Restores the orders, each once, with one call of MatchTask::restore. Does nothing without orders.
Result<void> restore_orders(const MatchTask& task, std::vector<ArchivedOrder> orders);

}  // namespace finality
