// Invariants that hold after every command. They are checked on the changes of each decision before its commit, in
// release builds too. A decision that violates an invariant is undone and its order parked. `finality verify` checks
// the same invariants over a whole store, independently (store/audit/audit.h).
#pragma once

#include <string>
#include <vector>

#include "model/working_set.h"

namespace finality {

/// The violations of the current scope of `rows`, as sentences; empty when all invariants hold.
std::vector<std::string> broken_invariants(const WorkingSet& rows);

/// The violations within one order, without comparing it with its previous state.
std::vector<std::string> broken_invariants(const OrderAggregate& aggregate);

}  // namespace finality
