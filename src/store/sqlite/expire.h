// Deletes expired rows from a SQLite store.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Session::expire(), fenced by the node number and token.
Expired expire(Database& database, const ExpireStep& step, std::int64_t node, std::int64_t token);

}  // namespace finality::sqlite
