#include "store/sqlite/sqlite_audit.h"

#include "store/audit/readable_id.h"

namespace finality::sqlite {
namespace {

Result<void> ask(Database& database, const AuditQuestion& question, AuditReport& report) {
  const std::string sql = question.sql + " LIMIT " + std::to_string(kViolationsPerQuestion);
  Statement statement = database.prepare(sql);
  for (StepResult step = statement.step(); step != StepResult::done; step = statement.step()) {
    if (step == StepResult::failed) return std::unexpected(database.error(question.invariant));
    const auto id = statement.read<std::string>();
    report.violations.push_back(
        {question.invariant, audit::readable_id(question.object_type, id), statement.read<std::string>()});
  }
  return {};
}

}  // namespace

Result<AuditReport> audit(Database& database) {
  AuditReport report;
  if (auto begun = database.execute("BEGIN"); !begun) return std::unexpected(begun.error());
  for (const std::string_view table : audited_tables()) {
    Statement statement = database.prepare("SELECT count(*) FROM " + std::string(table));
    if (statement.step() != StepResult::row) return std::unexpected(database.error("count rows"));
    report.checked.emplace_back(table, statement.read<std::int64_t>());
  }
  for (const AuditQuestion& question : audit_questions())
    if (auto asked = ask(database, question, report); !asked) return std::unexpected(asked.error());
  if (auto ended = database.execute("COMMIT"); !ended) return std::unexpected(ended.error());
  return report;
}

}  // namespace finality::sqlite
