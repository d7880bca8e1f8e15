// Runs the audit queries (store/audit/questions.h) on a SQLite store.
#pragma once

#include <vector>

#include "store/audit/audit.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

/// Checks the structure of every page, and compares every index with its table. Returns one violation of kUndamaged per
/// finding, at most kViolationsPerQuestion, with the name of the table or index; "file" if none is known. Reads the
/// whole file.
Result<std::vector<Violation>> find_damage(Database& database);

/// Runs find_damage(), and the audit queries if it finds nothing. Audits one snapshot of the store. A server may write
/// to the store meanwhile.
Result<AuditReport> audit(Database& database, const AuditProgress& progress);

}  // namespace finality::sqlite
