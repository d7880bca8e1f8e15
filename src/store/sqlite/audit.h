// The auditor's questions put to a SQLite store.
#pragma once

#include "store/audit/audit.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

/// Reads one consistent snapshot; a server may write beside it.
Result<AuditReport> audit(Database& database, const AuditProgress& progress);

}  // namespace finality::sqlite
