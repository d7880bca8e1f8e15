// Backup and restore of a SQLite store; see store/backup.h.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::sqlite {

/// Copies the store at `path` to `file`, in one read transaction. The server that owns the store may write meanwhile.
Result<void> back_up(const std::string& path, const std::string& file);
Result<void> restore(const std::string& path, const std::string& file);

}  // namespace finality::sqlite
