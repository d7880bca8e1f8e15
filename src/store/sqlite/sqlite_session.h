// The lane's connection to a SQLite store: the one that writes.
#pragma once

#include <memory>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Takes over node number `node` on `database`: a new token fences whoever held it.
Result<std::unique_ptr<Session>> make_session(Database database, std::int64_t node);

}  // namespace finality::sqlite
