// The auditor's questions put to a PostgreSQL store.
#pragma once

#include "store/audit/audit.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// Reads one snapshot; servers may write beside it.
Result<AuditReport> audit(Connection& connection, const AuditProgress& progress);

/// As audit(), within a transaction that the caller has begun and may write in: its own changes are seen too.
Result<AuditReport> audit_in_transaction(Connection& connection, const AuditProgress& progress);

}  // namespace finality::postgres
