// Online backup and restore of a whole store.
#pragma once

#include <string>

#include "base/result.h"

namespace finality {

/// Writes a consistent copy of the store to `file`, which must not exist yet. A server may run meanwhile. The copy
/// contains every transaction committed before the call. PostgreSQL stores are dumped with pg_dump.
Result<void> back_up(const std::string& url, const std::string& file);

/// Creates the store at `url` from the copy in `file`. The target must be empty. PostgreSQL stores are restored with
/// pg_restore, in one transaction.
Result<void> restore(const std::string& url, const std::string& file);

}  // namespace finality
