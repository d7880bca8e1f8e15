// Deleting what has been kept long enough.
#pragma once

#include "store/memory/tables.h"

namespace finality::memory {

/// Session::expire, but for the fence. REQUIRES: the tables are held for writing.
Expired expire(Tables& tables, const ExpireStep& step);

}  // namespace finality::memory
