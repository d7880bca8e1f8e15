// Runs the audit queries (store/audit/questions.h) on a PostgreSQL store.
#pragma once

#include "store/audit/audit.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// Checks with the extension amcheck that every table is readable and that every index agrees with its table; then
/// audits. Without the extension or the right to use it, reports in AuditReport::unchecked what to do. Audits one
/// snapshot of the store. Servers may write concurrently.
Result<AuditReport> audit(Connection& connection, const AuditProgress& progress);

/// Like audit(), but within a read-write transaction that the caller has begun. The audit sees uncommitted changes of
/// that transaction.
Result<AuditReport> audit_in_transaction(Connection& connection, const AuditProgress& progress);

}  // namespace finality::postgres
