#include "store/sqlite/audit.h"

namespace finality::sqlite {

Result<AuditReport> audit(Database& database, const AuditProgress& progress) {
  const auto query = [&](const std::string& sql, std::string_view about, const AuditRow& row) -> Result<void> {
    SqlStatement statement = database.prepare(sql);
    for (StepResult step = statement.step(); step != StepResult::done; step = statement.step()) {
      if (step == StepResult::failed) return std::unexpected(database.error(std::string(about)));
      const auto first = statement.read<std::string>();
      row(first, statement.read<std::string>());
    }
    return {};
  };
  if (auto begun = database.execute("BEGIN"); !begun) return std::unexpected(begun.error());
  auto report = put_audit_questions(query, progress);
  if (!report) return report;
  if (auto ended = database.execute("COMMIT"); !ended) return std::unexpected(ended.error());
  return report;
}

}  // namespace finality::sqlite
