// Command `finality verify`: checks every invariant over a whole store. A server can use the store during the check.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/progress_line.h"
#include "app/commands/report.h"
#include "store/damage_report.h"
#include "store/store.h"

namespace finality::app {
namespace {

namespace json = boost::json;

// The invariant of a damaged table or index. It is checked before the queries of the audit, which would read wrong
// rows.
constexpr std::string_view kUndamaged = "0 tables and indexes are undamaged and agree";
constexpr std::string_view kAuditOmitted =
    "the invariants of the rows, because tables or indexes are damaged: restore a backup";

/// Results of all checks.
struct Verification {
  AuditReport report;
  std::vector<std::string> unchecked;
};

void print_json(const Verification& verified) {
  json::object checked;
  for (const auto& [table, rows] : verified.report.checked) checked[table] = rows;
  json::array violations;
  for (const Violation& violation : verified.report.violations)
    violations.push_back(json::object{
        {"invariant", violation.invariant}, {"object_id", violation.object_id}, {"detail", violation.detail}});
  json::array unchecked;
  for (const std::string& omitted : verified.unchecked) unchecked.push_back(json::string(omitted));
  fmt::print("{}\n", json::serialize(
                         json::object{{"checked", checked}, {"violations", violations}, {"not_checked", unchecked}}));
}

void print_text(const Verification& verified) {
  const AuditReport& report = verified.report;
  for (const auto& [table, rows] : report.checked) fmt::print("{:<20}{:>12}\n", table, rows);
  for (const Violation& violation : report.violations)
    fmt::print("VIOLATION {}: {}: {}\n", violation.invariant, violation.object_id, violation.detail);
  for (const std::string& omitted : verified.unchecked) fmt::print("NOT CHECKED: {}\n", omitted);
  if (report.violations.empty())
    fmt::print("Every {}invariant holds.\n", verified.unchecked.empty() ? "" : "checked ");
  else
    fmt::print("{} violation{}.\n", report.violations.size(), report.violations.size() == 1 ? "" : "s");
}

Result<Verification> check_all(const std::string& url, const AuditProgress& progress) {
  const auto store = open_store({.url = url, .read_only = true, .migrate = false});
  if (!store) return std::unexpected(store.error());
  const auto damage = find_damage(url, progress);
  if (!damage) return std::unexpected(damage.error());
  Verification verified;
  if (!damage->unchecked.empty()) verified.unchecked.push_back(damage->unchecked);
  for (const DamagedObject& damaged : damage->damaged)
    verified.report.violations.push_back({std::string(kUndamaged), damaged.object, damaged.detail});
  if (!damage->damaged.empty()) {
    verified.unchecked.emplace_back(kAuditOmitted);
    return verified;
  }
  auto audited = (*store)->audit(progress);
  if (!audited) return std::unexpected(audited.error());
  verified.report = std::move(*audited);
  return verified;
}

int verify(const std::string& url, bool as_json) {
  ProgressLine line;
  const auto verified = check_all(url, [&line](std::size_t done, std::size_t all, std::string_view invariant) {
    line.show(fmt::format("{} of {} checks: {}", done, all, invariant));
  });
  line.clear();
  if (!verified) return report(verified.error());
  if (as_json)
    print_json(*verified);
  else
    print_text(*verified);
  return verified->report.violations.empty() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  struct Options {
    std::string store;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verify_app =
      add_command(app, "verify", "Check every invariant over a whole store; exit 1 if one is broken");
  verify_app->add_option("--store", options->store, kStoreUrls)->required();
  verify_app->add_flag("--json", options->json, "Print JSON");
  verify_app->callback([options, &exit_code] { exit_code = verify(options->store, options->json); });
}

}  // namespace finality::app
