// Deletes expired rows from a SQLite store.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Implements Session::expire(). Returns `fenced` if the node no longer has the token `token`.
Expired expire(Database& database, const ExpireStep& step, std::int64_t node, std::int64_t token);

}  // namespace finality::sqlite
