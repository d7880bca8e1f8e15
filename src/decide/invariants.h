// Invariants that hold after every command. The engine checks the changes of each decision before the commit, also in
// release builds. It undoes a decision that violates an invariant and parks the order. `finality verify` checks a whole
// store by separate code (store/audit/audit.h).
#pragma once

#include <string>
#include <vector>

#include "model/working_set.h"

namespace finality {

/// Returns the violations in the current scope of `rows`, one sentence each; empty when all invariants hold.
std::vector<std::string> broken_invariants(const WorkingSet& rows);

/// Returns the violations within one order, without a comparison with its previous state.
std::vector<std::string> broken_invariants(const OrderAggregate& aggregate);

}  // namespace finality
