// Extracts the lines of a trace that relate to a finding.
#pragma once

#include <vector>

#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"

namespace finality::sim {

/// Returns the lines about the orders and accounts whose identifiers occur in the finding, including their parts, and
/// the faults at most 100 ms apart from these lines. Returns all lines if the finding has no identifier.
std::vector<TraceLine> trace_slice(const std::vector<TraceLine>& lines, const Finding& finding,
                                   const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream);

}  // namespace finality::sim
