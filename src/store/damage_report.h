// Check of a store's tables and indexes. The auditor (store/audit/audit.h) checks rows, and reads them through indexes:
// a damaged index makes it read too few rows.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/audit/audit.h"

namespace finality {

/// A finding about a table or an index.
struct DamagedObject {
  std::string object;  // "table NAME" or "index NAME"; "file" if neither is known
  std::string detail;
};

struct DamageReport {
  std::vector<DamagedObject> damaged;  // at most kViolationsPerQuestion per table or index
  std::string unchecked;  // the omitted checks, the reason, and what to do; empty if everything was checked
};

/// Checks that every page of the store at `url` can be read, and compares every index with its table. A server may use
/// the store meanwhile. SQLite reads the whole file. PostgreSQL uses its extension amcheck; without it, or without the
/// right to use it, the report states what to do. `progress` may be empty. REQUIRES: open_store() accepts the store.
Result<DamageReport> find_damage(const std::string& url, const AuditProgress& progress);

}  // namespace finality
