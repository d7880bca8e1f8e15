// Extracts the lines of a trace that relate to a finding.
#pragma once

#include <vector>

#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"

namespace finality::sim {

/// Returns the lines about each order or account that the finding names, by its own identifier or by that of one of its
/// payments, refunds, deliveries or holds. Adds the faults within 100 ms of one of these lines, up to the last of them.
/// Returns all lines if the finding contains no identifier.
std::vector<TraceLine> trace_slice(const std::vector<TraceLine>& lines, const Finding& finding,
                                   const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream);

}  // namespace finality::sim
