#include "store/postgres/audit.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <vector>

#include "store/postgres/schema.h"

namespace finality::postgres {
namespace {

Result<Reply> ask(Connection& connection, const std::string& sql, std::string_view what) {
  auto reply = connection.execute(sql);
  if (!reply) return fail(fmt::format("{}: {}", what, reply.error().message));
  return std::move(*reply);
}

// Connects for statements that may scan whole tables, so the reply timeout is long.
Result<std::unique_ptr<Connection>> open_patient(const std::string& url) {
  auto options = parse_target(url);
  if (!options) return std::unexpected(options.error());
  options->timing.silence = std::chrono::hours(24);
  return Connection::open(*options, Use::read);
}

constexpr std::string_view kIndexesUnchecked =
    "tables and indexes were not compared: a superuser must run CREATE EXTENSION amcheck in this database, and GRANT "
    "EXECUTE ON FUNCTION bt_index_check(regclass, boolean), verify_heapam(regclass, boolean, boolean, text, bigint, "
    "bigint) TO the role of this command";
constexpr std::string_view kShardsUnchecked =
    "tables and indexes were not compared: they are on the workers of the cluster. Run amcheck on each worker";

// Runs a statement without a time limit in a separate transaction.
std::expected<Reply, Failure> ask_patiently(Connection& connection, const std::string& sql) {
  auto reply = connection.execute("BEGIN READ ONLY; SET LOCAL statement_timeout = 0; " + sql);
  const auto ended = connection.execute("ROLLBACK");
  if (reply && !ended) return std::unexpected(ended.error());
  return reply;
}

bool is_damage(const Failure& failure) {
  return failure.state == "XX001" || failure.state == "XX002";  // data_corrupted, index_corrupted
}

/// The schema of amcheck's functions; empty if this role cannot call them.
Result<std::string> schema_of_amcheck(Connection& connection) {
  auto found = ask(connection, R"(
SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'amcheck' AND (
  SELECT count(*) = 2 FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
  WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    AND (p.proname, p.pronargs - p.pronargdefaults) IN (('bt_index_check', 2), ('verify_heapam', 1))
    AND has_function_privilege(p.oid, 'EXECUTE')))",
                   "cannot look for amcheck");
  if (!found) return std::unexpected(found.error());
  return found->rows() == 0 ? std::string() : std::string(PQgetvalue(found->raw(), 0, 0));
}

/// A check of one table or index. `sql` returns one column, with a row per finding; or it fails with is_damage().
struct DamageCheck {
  std::string object;
  std::string sql;
};

Result<std::vector<DamageCheck>> damage_checks(Connection& connection, const std::string& schema) {
  const auto found = ask(connection,
                         fmt::format(R"(
SELECT CASE c.relkind WHEN 'i' THEN 'index ' ELSE 'table ' END || c.relname,
  CASE c.relkind
    WHEN 'i' THEN format('SELECT ''damaged'' WHERE {0}.bt_index_check(%s::regclass, true) IS NULL', c.oid)
    ELSE format('SELECT concat(''block '', blkno, '': '', msg) FROM {0}.verify_heapam(%s::regclass, check_toast => true) LIMIT {1}', c.oid)
  END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_am a ON a.oid = c.relam
LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE n.nspname = current_schema() AND ((c.relkind = 'r' AND a.amname = 'heap')
  OR (c.relkind = 'i' AND a.amname = 'btree' AND i.indisvalid AND i.indisready))
ORDER BY c.relkind DESC, c.relname)",
                                     schema, kViolationsPerQuestion),
                         "cannot list tables and indexes");
  if (!found) return std::unexpected(found.error());
  std::vector<DamageCheck> checks;
  for (int i = 0; i < found->rows(); ++i)
    checks.push_back({PQgetvalue(found->raw(), i, 0), PQgetvalue(found->raw(), i, 1)});
  return checks;
}

Result<void> run_check(Connection& connection, const DamageCheck& check, DamageReport& report) {
  const auto found = ask_patiently(connection, check.sql);
  if (!found && !is_damage(found.error()))
    return fail(fmt::format("cannot check the {}: {}", check.object, found.error().message));
  if (!found) report.damaged.push_back({check.object, found.error().message});
  for (int row = 0; found && row < found->rows(); ++row)
    report.damaged.push_back({check.object, PQgetvalue(found->raw(), row, 0)});
  return {};
}

}  // namespace

Result<DamageReport> find_damage(const std::string& url, const AuditProgress& progress) {
  const auto connection = open_patient(url);
  if (!connection) return std::unexpected(connection.error());
  const auto distributed = is_distributed(**connection);
  if (!distributed) return std::unexpected(distributed.error());
  if (*distributed) return DamageReport{.damaged = {}, .unchecked = std::string(kShardsUnchecked)};
  const auto schema = schema_of_amcheck(**connection);
  if (!schema) return std::unexpected(schema.error());
  if (schema->empty()) return DamageReport{.damaged = {}, .unchecked = std::string(kIndexesUnchecked)};
  const auto checks = damage_checks(**connection, *schema);
  if (!checks) return std::unexpected(checks.error());
  DamageReport report;
  for (std::size_t i = 0; i < checks->size(); ++i) {
    if (progress) progress(i, checks->size(), (*checks)[i].object);
    if (auto done = run_check(**connection, (*checks)[i], report); !done) return std::unexpected(done.error());
  }
  return report;
}

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
