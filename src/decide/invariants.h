// What must hold after every command, whatever the command. Runs on the delta of each decision before it is committed,
// in release builds too: a decision that breaks one is undone and its row parked.
// `finality verify` asks the same of a whole store, by other means (store/audit/audit.h).
#pragma once

#include <string>
#include <vector>

#include "model/working_set.h"

namespace finality {

/// What the current scope of `rows` breaks, in words; empty when nothing.
std::vector<std::string> broken_invariants(const WorkingSet& rows);

/// What holds of an order by itself, without its past.
std::vector<std::string> broken_invariants(const OrderAggregate& aggregate);

}  // namespace finality
