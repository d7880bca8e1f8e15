// Backup and restore of a PostgreSQL store with pg_dump and pg_restore; see store/backup.h.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::postgres {

Result<void> back_up(const std::string& url, const std::string& file);
Result<void> restore(const std::string& url, const std::string& file);

}  // namespace finality::postgres
