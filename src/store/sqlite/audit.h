// Runs the audit queries (store/audit/questions.h) on a SQLite store.
#pragma once

#include "store/audit/audit.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

/// Audits one snapshot of the store. A server may write to the store meanwhile.
Result<AuditReport> audit(Database& database, const AuditProgress& progress);

}  // namespace finality::sqlite
