// Backup and restore of a SQLite store; see store/backup.h.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::sqlite {

/// Copies in one read transaction; the server that owns `path` may write meanwhile.
Result<void> back_up(const std::string& path, const std::string& file);
Result<void> restore(const std::string& path, const std::string& file);

}  // namespace finality::sqlite
