// Checks invariants 8 and 16 at the end of a simulation run, when faults have stopped and all delays have passed. Every
// object is final or has an exception case, and every payer has paid and received the booked amounts.
#pragma once

#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"
#include "store/store.h"

namespace finality::sim {

/// Checks the store, and adds violations to `findings`. `received`: the deliveries that a merchant's server has
/// acknowledged.
void audit_end(Reader& reader, const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream,
               const std::set<DeliveryId>& received, Findings& findings);

}  // namespace finality::sim
