// Backup and restore of a SQLite store; see store/backup.h.
#pragma once

#include <string>

#include "base/result.h"
#include "store/backup.h"

namespace finality::sqlite {

/// Copies the store at `path` to `file`, in one read transaction, and checks the copy. The server that owns the store
/// may write meanwhile. Does not sync `file`; the caller removes it after an error.
Result<void> back_up(const std::string& path, const std::string& file, const BackupProgress& progress);
/// `sha256`: of `file`; empty: not compared.
Result<void> restore(const std::string& path, const std::string& file, const std::string& sha256,
                     const BackupProgress& progress);

}  // namespace finality::sqlite
