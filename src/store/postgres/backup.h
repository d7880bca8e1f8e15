// Backup and restore of a PostgreSQL store with pg_dump and pg_restore; see store/backup.h.
#pragma once

#include <string>

#include "base/result.h"
#include "store/backup.h"

namespace finality::postgres {

/// The caller removes `file` after an error.
Result<void> back_up(const std::string& url, const std::string& file, const BackupProgress& progress);
/// `sha256`: of `file`; empty: not compared.
Result<void> restore(const std::string& url, const std::string& file, const std::string& sha256,
                     const BackupProgress& progress);

}  // namespace finality::postgres
