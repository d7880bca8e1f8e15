// Store auditor: checks every invariant over a whole store with SQL queries, independently of the code that maintains
// the invariants (docs/adr/0013-the-auditor-is-sql.md). SQLite and PostgreSQL run the same queries. Each query selects
// the rows that violate one invariant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace finality {

/// One row that violates an invariant.
struct Violation {
  std::string invariant;  // the invariant's group number and name, for example "6 a journal sums to zero"
  std::string object_id;  // API id of the violating row
  std::string detail;
};

/// The result of an audit.
struct AuditReport {
  std::vector<std::pair<std::string, std::int64_t>> checked;  // tables and their numbers of rows
  std::vector<Violation> violations;
};

/// Maximum number of violations that an audit reports per query.
inline constexpr std::int64_t kViolationsPerQuestion = 100;

/// An SQL query of the auditor that checks one invariant.
struct AuditQuestion {
  std::string invariant;
  std::string object_type;  // of the returned ids; empty if each id carries its type ("order:123")
  std::string sql;          // returns one (id, detail) row per violation
};

/// Called on the auditor's thread before each query, with the number of finished queries, the number of all queries and
/// the invariant that the next query checks.
using AuditProgress = std::function<void(std::size_t asked, std::size_t all, std::string_view invariant)>;

/// Returns all audit queries, grouped by subject. Each invariant's name begins with the number of its group.
std::vector<AuditQuestion> audit_questions();
/// Returns the tables whose rows an audit counts.
std::vector<std::string_view> audited_tables();

/// Receives the two columns of one result row.
using AuditRow = std::function<void(const std::string& first, const std::string& second)>;
/// Runs a two-column query on a store and calls `row` for each result row. `about` names the query in error messages.
using AuditQuery = std::function<Result<void>(const std::string& sql, std::string_view about, const AuditRow& row)>;

/// Counts the rows of the audited tables and runs all audit queries with `query`. Returns the first error of `query`;
/// violations are part of the report, not errors. `progress` may be empty.
Result<AuditReport> put_audit_questions(const AuditQuery& query, const AuditProgress& progress);

}  // namespace finality
