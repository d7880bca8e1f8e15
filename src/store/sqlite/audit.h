// Runs the audit queries (store/audit/questions.h) on a SQLite store, and checks its tables and indexes.
#pragma once

#include <string>
#include <vector>

#include "store/audit/audit.h"
#include "store/damage_report.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

/// Audits one snapshot of the store. A server may write to the store meanwhile. Afterwards `database` has a temporary
/// table in place of the view `events`, so nothing else may use it.
Result<AuditReport> audit(Database& database, const AuditProgress& progress);

/// Checks the structure of every page, and compares every index with its table. Reads the whole file.
Result<std::vector<DamagedObject>> find_damage(Database& database);
/// The same for one snapshot of the store at `path`. A server may write to the store meanwhile.
Result<DamageReport> find_damage(const std::string& path);

}  // namespace finality::sqlite
