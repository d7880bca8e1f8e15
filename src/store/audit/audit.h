// Store auditor: checks every invariant over a whole store in SQL, independently of the code that maintains them
// (docs/adr/0013-the-auditor-is-sql.md). One list of queries serves both stores; each query selects violating rows.
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
  std::string invariant;  // its group number and name (audit_questions())
  std::string object_id;  // API id of the violating row
  std::string detail;
};

/// The result of an audit.
struct AuditReport {
  std::vector<std::pair<std::string, std::int64_t>> checked;  // rows per table
  std::vector<Violation> violations;
};

/// Maximum number of violations listed per question.
inline constexpr std::int64_t kViolationsPerQuestion = 100;

/// One query of the auditor, for one invariant.
struct AuditQuestion {
  std::string invariant;
  std::string object_type;  // of the returned ids; empty if each id carries its type ("order:123")
  std::string sql;          // returns one (id, detail) row per violation
};

/// Called on the auditor's thread before each question, with the number of questions done, their total and the
/// invariant that is checked next.
using AuditProgress = std::function<void(std::size_t asked, std::size_t all, std::string_view invariant)>;

/// All questions, by subject. An invariant's name begins with the number of its group.
std::vector<AuditQuestion> audit_questions();
/// Tables whose rows are counted.
std::vector<std::string_view> audited_tables();

/// Receives the two columns of a row.
using AuditRow = std::function<void(const std::string& first, const std::string& second)>;
/// Runs a two-column query on a store and calls `row` for each row; `about` names the query in error messages.
using AuditQuery = std::function<Result<void>(const std::string& sql, std::string_view about, const AuditRow& row)>;

/// Counts the rows of the audited tables and runs all questions. `progress` may be empty.
Result<AuditReport> put_audit_questions(const AuditQuery& query, const AuditProgress& progress);

}  // namespace finality
