// The auditor's questions put to a PostgreSQL store.
#pragma once

#include "store/audit.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// Reads one snapshot; servers may write beside it.
Result<AuditReport> audit(Connection& connection);

}  // namespace finality::postgres
