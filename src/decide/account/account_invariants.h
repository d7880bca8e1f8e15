// Checks the invariants of user accounts, holds and transfers after every command (docs/adr/0014-accounts.md).
#pragma once

#include <string>
#include <vector>

#include "model/working_set.h"

namespace finality {

/// Checks the changes in the current scope of `rows` and appends one sentence per violation to `findings`.
void check_accounts(const WorkingSet& rows, std::vector<std::string>& findings);

}  // namespace finality
