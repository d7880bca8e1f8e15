#include "store/postgres/postgres_audit.h"

#include <fmt/format.h>

#include "store/audit/readable_id.h"

namespace finality::postgres {
namespace {

Result<Reply> ask(Connection& connection, const std::string& sql, std::string_view what) {
  auto reply = connection.execute(sql);
  if (!reply) return fail(fmt::format("{}: {}", what, reply.error().message));
  return std::move(*reply);
}

}  // namespace

Result<AuditReport> audit(Connection& connection) {
  if (auto begun = ask(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "begin the audit"); !begun)
    return std::unexpected(begun.error());
  auto report = audit_in_transaction(connection);
  if (!report) return report;
  if (auto ended = ask(connection, "COMMIT", "end the audit"); !ended) return std::unexpected(ended.error());
  return report;
}

Result<AuditReport> audit_in_transaction(Connection& connection) {
  AuditReport report;
  // Its questions look at everything, and take as long as that takes. They join whole tables: row by row, which the
  // planner chooses where it expects few, would take for ever where it errs.
  if (auto settled = ask(connection,
                         "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; "
                         "SET LOCAL enable_nestloop = off; SET LOCAL work_mem = '64MB'",
                         "begin the audit");
      !settled)
    return std::unexpected(settled.error());
  for (const std::string_view table : audited_tables()) {
    const auto count = ask(connection, fmt::format("SELECT count(*) FROM {}", table), "count rows");
    if (!count) return std::unexpected(count.error());
    report.checked.emplace_back(table, std::stoll(PQgetvalue(count->raw(), 0, 0)));
  }
  for (const AuditQuestion& question : audit_questions()) {
    const auto found =
        ask(connection, fmt::format("{} LIMIT {}", question.sql, kViolationsPerQuestion), question.invariant);
    if (!found) return std::unexpected(found.error());
    for (int i = 0; i < found->rows(); ++i)
      report.violations.push_back({question.invariant,
                                   audit::readable_id(question.object_type, PQgetvalue(found->raw(), i, 0)),
                                   PQgetvalue(found->raw(), i, 1)});
  }
  return report;
}

}  // namespace finality::postgres
