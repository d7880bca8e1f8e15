#include "store/sqlite/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "store/sql/columns.h"
#include "store/sqlite/transaction.h"

namespace finality::sqlite {
namespace {

/// One message of SQLite's integrity check.
struct Finding {
  std::string text;
  std::string object;  // "table NAME" or "index NAME"; empty if the message names none
};

constexpr std::string_view kUnusedPage = "never used";  // a consequence of a damaged page that referred to the page

std::string_view word_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + before.size());
  return rest.substr(0, rest.find_first_of(" :,"));
}

// Adds the lines of one row of the check. A row has one message, or several messages of pages after a title.
void add_lines(std::string_view row, std::vector<Finding>& findings) {
  while (!row.empty()) {
    const std::string_view line = row.substr(0, row.find('\n'));
    row.remove_prefix(std::min(row.size(), line.size() + 1));
    if (line == "ok" || line.empty() || line.starts_with("***")) continue;
    const std::string_view index = word_after(line, " index ");
    findings.push_back({std::string(line), index.empty() ? "" : fmt::format("index {}", index)});
  }
}

// Runs an integrity check. After a damaged page SQLite can end the check with an error, which is a finding too.
Result<std::vector<Finding>> run_check(Database& database, const std::string& pragma) {
  std::vector<Finding> findings;
  SqlStatement statement = database.prepare(pragma);
  StepResult step = statement.step();
  for (; step == StepResult::row; step = statement.step()) add_lines(statement.read<std::string>(), findings);
  if (step == StepResult::done) return findings;
  if (fault_of(database.error_code(), 0) != StoreFault::damaged) return std::unexpected(database.error(pragma));
  if (findings.empty()) findings.push_back({sqlite3_errmsg(database.handle()), ""});
  return findings;
}

// The tables and indexes to which pages belong, as far as SQLite can list the pages (its table dbstat).
std::map<std::int64_t, std::string> owners_of(Database& database, const std::set<std::int64_t>& pages) {
  std::map<std::int64_t, std::string> owners;
  if (pages.empty() || sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB") == 0) return owners;
  SqlStatement statement = database.prepare(
      fmt::format("SELECT d.pageno, coalesce(s.type, 'table') || ' ' || d.name FROM dbstat d LEFT JOIN sqlite_schema s "
                  "ON s.name = d.name WHERE d.pageno IN ({})",
                  fmt::join(pages, ",")));
  while (statement.step() == StepResult::row) {  // an error ends the list: the rest of the pages has no known owner
    const auto page = statement.read<std::int64_t>();
    owners[page] = statement.read<std::string>();
  }
  return owners;
}

std::int64_t page_in(std::string_view text) {
  std::string_view number = word_after(text, "page ");
  if (number.empty()) number = word_after(text, "Page ");
  std::int64_t page = 0;
  std::from_chars(number.data(), number.data() + number.size(), page);
  return page;
}

void name_owners(Database& database, std::vector<Finding>& findings) {
  std::set<std::int64_t> pages;
  for (const Finding& finding : findings)
    if (const std::int64_t page = page_in(finding.text); finding.object.empty() && page > 0) pages.insert(page);
  const auto owners = owners_of(database, pages);
  for (Finding& finding : findings)
    if (const auto owner = owners.find(page_in(finding.text)); finding.object.empty() && owner != owners.end())
      finding.object = owner->second;
}

// Checks each table with its indexes, for findings that name neither a page nor an index.
Result<std::vector<Finding>> check_tables(Database& database) {
  std::vector<std::string> tables;
  {
    SqlStatement statement = database.prepare(std::string("SELECT name FROM sqlite_schema WHERE type = 'table'"));
    while (statement.step() == StepResult::row) tables.push_back(statement.read<std::string>());
  }
  std::vector<Finding> findings;
  for (const std::string& table : tables) {
    auto found = run_check(database, fmt::format("PRAGMA integrity_check('{}')", table));
    if (!found) return found;
    if (!found->empty()) findings.push_back({found->front().text, "table " + table});
  }
  return findings;
}

// The questions read the events many times, and the view parses the steps each time. A temporary table with the same
// name takes its place, without the details, which no question reads. It has no constraints, because damaged events
// must not end the audit.
std::string copy_of_events() {
  std::string names;
  std::string definitions;
  for (const store::Column& column : store::row_type<Event>().columns) {
    if (column.name == "detail") continue;
    const bool is_number = column.type->kind == store::ValueKind::number;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", column.name);
    definitions += fmt::format("{}{} {}", definitions.empty() ? "" : ", ", column.name, is_number ? "INTEGER" : "text");
  }
  return fmt::format(
      "PRAGMA query_only=0; CREATE TEMP TABLE events ({0}); INSERT INTO temp.events ({1}) SELECT {1} FROM main.events; "
      "CREATE INDEX temp.events_of_root ON events (root_id, id); PRAGMA query_only=1",
      definitions + ", change_id INTEGER", names + ", change_id");
}

}  // namespace

Result<std::vector<DamagedObject>> find_damage(Database& database) {
  auto findings = run_check(database, fmt::format("PRAGMA integrity_check({})", kViolationsPerQuestion));
  if (!findings) return std::unexpected(findings.error());
  const auto is_consequence = [](const Finding& finding) { return finding.text.ends_with(kUnusedPage); };
  if (!std::ranges::all_of(*findings, is_consequence)) std::erase_if(*findings, is_consequence);
  name_owners(database, *findings);
  const auto has_no_object = [](const Finding& finding) { return finding.object.empty(); };
  if (!findings->empty() && std::ranges::all_of(*findings, has_no_object)) {
    auto named = check_tables(database);
    if (!named) return std::unexpected(named.error());
    if (!named->empty()) findings = std::move(named);
  }
  constexpr std::size_t kMax = kViolationsPerQuestion;
  if (findings->size() > kMax) findings->resize(kMax);
  std::vector<DamagedObject> damaged;
  for (Finding& finding : *findings)
    damaged.push_back({finding.object.empty() ? "file" : std::move(finding.object), std::move(finding.text)});
  return damaged;
}

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
  if (auto copied = database.execute(copy_of_events()); !copied) return std::unexpected(copied.error());
  auto report = put_audit_questions(query, progress);
  if (!report) return report;
  if (auto ended = database.execute("COMMIT"); !ended) return std::unexpected(ended.error());
  return report;
}

Result<DamageReport> find_damage(const std::string& path) {
  auto database = Database::open(path, Database::Mode::read);
  if (!database) return std::unexpected(database.error());
  if (auto begun = database->execute("BEGIN"); !begun) return std::unexpected(begun.error());
  auto damaged = find_damage(*database);
  if (!damaged) return std::unexpected(damaged.error());
  return DamageReport{.damaged = std::move(*damaged), .unchecked = {}};
}

}  // namespace finality::sqlite
