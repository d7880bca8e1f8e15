// Deleting what has been kept long enough.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Session::expire, for the holder of that node number and token.
Expired expire(Database& database, const ExpireStep& step, std::int64_t node, std::int64_t token);

}  // namespace finality::sqlite
