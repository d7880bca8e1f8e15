// Invariants of user accounts, their holds and transfers after every command (docs/adr/0014-accounts.md).
#pragma once

#include <string>
#include <vector>

#include "model/working_set.h"

namespace finality {

/// Appends one sentence to `findings` per violation in the current scope of `rows`.
void check_accounts(const WorkingSet& rows, std::vector<std::string>& findings);

}  // namespace finality
