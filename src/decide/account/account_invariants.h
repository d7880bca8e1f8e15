// What must hold of users' accounts and their holds after every command (docs/adr/0014-accounts.md).
#pragma once

#include <string>
#include <vector>

#include "model/working_set.h"

namespace finality {

/// Adds what the current scope breaks.
void check_accounts(const WorkingSet& rows, std::vector<std::string>& findings);

}  // namespace finality
