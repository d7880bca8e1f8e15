// Deletes expired rows from the in-memory tables.
#pragma once

#include "store/memory/tables.h"

namespace finality::memory {

/// Implements Session::expire() without the check of the node lease. REQUIRES: the tables are locked for writing.
Expired expire(Tables& tables, const ExpireStep& step);

}  // namespace finality::memory
