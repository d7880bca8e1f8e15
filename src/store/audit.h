// The auditor: every invariant over a whole store, asked in SQL, apart from the code that keeps them (failures.md,
// "Invariants"). One list of questions serves both stores; each names the rows that break it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// All questions, in the order of the invariants.
std::vector<AuditQuestion> audit_questions();
/// The tables whose rows are counted.
std::vector<std::string_view> audited_tables();

}  // namespace finality
