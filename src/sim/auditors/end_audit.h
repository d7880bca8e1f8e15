// Invariants 8 and 16: once faults have stopped and everything has had its time, all is final or in the exception
// queue, and every payer has what is due.
#pragma once

#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"
#include "store/store.h"

namespace finality::sim {

/// `received`: the deliveries that a server has said yes to.
void audit_end(Reader& reader, const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream,
               const std::set<DeliveryId>& received, Findings& findings);

}  // namespace finality::sim
