// Deletes expired rows from the in-memory tables.
#pragma once

#include "store/memory/tables.h"

namespace finality::memory {

/// Session::expire() without the fence. REQUIRES: the tables are locked for writing.
Expired expire(Tables& tables, const ExpireStep& step);

}  // namespace finality::memory
