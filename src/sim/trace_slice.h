// Extracts the part of a trace that explains a finding.
#pragma once

#include <vector>

#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"

namespace finality::sim {

/// Returns the lines about the order or account that the finding names, including its parts, and the faults near them.
/// Returns all lines if the finding names none.
std::vector<TraceLine> trace_slice(const std::vector<TraceLine>& lines, const Finding& finding,
                                   const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream);

}  // namespace finality::sim
