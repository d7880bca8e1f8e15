// The auditor: every invariant over a whole store, asked in SQL, apart from the code that keeps them
// (docs/adr/0013-the-auditor-is-sql.md). One list of questions serves both stores; each names the rows that break it.
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

struct Violation {
  std::string invariant;  // its number and its name
  std::string object_id;  // the row at fault, as the API names it
  std::string detail;
};

struct AuditReport {
  std::vector<std::pair<std::string, std::int64_t>> checked;  // rows looked at, by table
  std::vector<Violation> violations;
};

/// More of one kind are not listed: the first hundred tell the story.
inline constexpr std::int64_t kViolationsPerQuestion = 100;

struct AuditQuestion {
  std::string invariant;
  std::string object_type;  // of the ids it answers with
  std::string sql;          // answers with (id, detail) per violation
};

/// Called on the auditor's thread before each question: how many were asked, of how many, and what is asked now.
using AuditProgress = std::function<void(std::size_t asked, std::size_t all, std::string_view invariant)>;

/// All questions, in the order of the invariants.
std::vector<AuditQuestion> audit_questions();
/// The tables whose rows are counted.
std::vector<std::string_view> audited_tables();

/// Called with the two columns of a row.
using AuditRow = std::function<void(const std::string& first, const std::string& second)>;
/// Runs a query of two columns on a store and calls `row` for each row; `about` is for the message of an error.
using AuditQuery = std::function<Result<void>(const std::string& sql, std::string_view about, const AuditRow& row)>;

/// Counts the tables' rows and puts all questions. `progress` may be empty.
Result<AuditReport> put_audit_questions(const AuditQuery& query, const AuditProgress& progress);

}  // namespace finality
