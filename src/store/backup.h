// Backups: a copy of a whole store as of one moment, made beside a running server, and a new store made of one.
#pragma once

#include <string>

#include "base/result.h"

namespace finality {

/// Writes a copy of the store to `file`, which must not exist yet. What is committed before this begins is in it. On
/// PostgreSQL the program pg_dump does it.
Result<void> back_up(const std::string& url, const std::string& file);

/// Makes the store that `url` names of a copy. It must not hold anything yet. On PostgreSQL the program pg_restore does
/// it, in one transaction.
Result<void> restore(const std::string& url, const std::string& file);

}  // namespace finality
