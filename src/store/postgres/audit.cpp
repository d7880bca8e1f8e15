#include "store/postgres/audit.h"

#include <fmt/format.h>

namespace finality::postgres {
namespace {

Result<Reply> ask(Connection& connection, const std::string& sql, std::string_view what) {
  auto reply = connection.execute(sql);
  if (!reply) return fail(fmt::format("{}: {}", what, reply.error().message));
  return std::move(*reply);
}

}  // namespace

Result<AuditReport> audit(Connection& connection, const AuditProgress& progress) {
  if (auto begun = ask(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "cannot begin the audit"); !begun)
    return std::unexpected(begun.error());
  auto report = audit_in_transaction(connection, progress);
  if (!report) return report;
  if (auto ended = ask(connection, "COMMIT", "cannot end the audit"); !ended) return std::unexpected(ended.error());
  return report;
}

Result<AuditReport> audit_in_transaction(Connection& connection, const AuditProgress& progress) {
  // The audit queries join whole tables, so they run without a time limit and without nested loops. The planner chooses
  // a nested loop if it expects few rows; with a wrong estimate, such a query could take hours.
  if (auto settled = ask(connection,
                         "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; "
                         "SET LOCAL enable_nestloop = off; SET LOCAL work_mem = '64MB'",
                         "cannot begin the audit");
      !settled)
    return std::unexpected(settled.error());
  const auto query = [&](const std::string& sql, std::string_view about, const AuditRow& row) -> Result<void> {
    const auto found = ask(connection, sql, about);
    if (!found) return std::unexpected(found.error());
    for (int i = 0; i < found->rows(); ++i) row(PQgetvalue(found->raw(), i, 0), PQgetvalue(found->raw(), i, 1));
    return {};
  };
  return put_audit_questions(query, progress);
}

}  // namespace finality::postgres
