// Of a trace the part that tells how a finding came about.
#pragma once

#include <vector>

#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"

namespace finality::sim {

/// The lines about the order or account that the finding names, with all its parts, and the faults right beside them.
/// All lines when the finding names none.
std::vector<TraceLine> trace_slice(const std::vector<TraceLine>& lines, const Finding& finding,
                                   const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream);

}  // namespace finality::sim
