// Runs the audit queries (store/audit/questions.h) on a PostgreSQL store, and checks its tables and indexes.
#pragma once

#include <string>

#include "store/audit/audit.h"
#include "store/damage_report.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// Audits one snapshot of the store. Servers may write concurrently.
Result<AuditReport> audit(Connection& connection, const AuditProgress& progress);

/// Like audit(), but within a read-write transaction that the caller has begun. The audit sees uncommitted changes of
/// that transaction.
Result<AuditReport> audit_in_transaction(Connection& connection, const AuditProgress& progress);

/// Checks with the extension amcheck that every table can be read and that every B-tree index agrees with its table.
/// See store/damage_report.h.
Result<DamageReport> find_damage(const std::string& url, const AuditProgress& progress);

}  // namespace finality::postgres
