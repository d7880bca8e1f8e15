// Online backup and restore of a whole store.
#pragma once

#include <string>

#include "base/result.h"

namespace finality {

/// Writes a consistent copy of the store at `url` to `file`, which must not exist. A server may use the store
/// meanwhile. The copy contains every transaction committed before the call. A PostgreSQL store is dumped with pg_dump.
Result<void> back_up(const std::string& url, const std::string& file);

/// Creates the store at `url` from the copy in `file`. A SQLite file must not exist; a PostgreSQL database must be
/// empty and is restored with pg_restore, in one transaction.
Result<void> restore(const std::string& url, const std::string& file);

}  // namespace finality
