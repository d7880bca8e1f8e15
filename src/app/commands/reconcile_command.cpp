// Command `finality reconcile`: compares the books with the statements of an account, day by day, directly in a store.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/clock_file.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "base/printable.h"
#include "base/time/time.h"
#include "channel/registry.h"
#include "query/render_reconciliation.h"

namespace finality::app {
namespace {

struct Options {
  std::string store;
  std::string channel;
  std::string date;
  std::string from;
  std::string to;
  std::string clock_file;  // empty: the system clock
  bool json = false;
  bool html = false;
};

Result<ChannelAccount> find_account(Reader& reader, const std::string& channel) {
  const auto accounts = reader.channel_accounts();
  if (!accounts) return std::unexpected(accounts.error());
  const auto found = std::ranges::find(*accounts, channel, &ChannelAccount::channel);
  if (found != accounts->end()) return *found;
  std::vector<std::string> names;
  for (const ChannelAccount& account : *accounts) names.push_back(printable(account.channel));
  return fail(fmt::format("no channel account has the name '{}': {}", channel,
                          names.empty() ? "the store has none" : fmt::format("use {}", fmt::join(names, ", "))));
}

query::ReconciliationDays days_of(const Options& options) {
  if (!options.date.empty()) return {options.date, options.date};
  return {options.from, options.to};
}

// Checks the days as the API does. The error names the option.
Result<void> check_days(const Options& options, const query::ReconciliationDays& days, const StatementPlan& plan) {
  const auto clock = open_clock(options.clock_file);
  if (!clock) return std::unexpected(clock.error());
  const auto checked = query::check_days(days, plan, (*clock)->now());
  if (checked) return {};
  return fail(fmt::format("--{} {}", options.date.empty() ? checked.error().bound : "date", checked.error().message));
}

void print_item(std::string_view name, MinorUnits amount, Currency currency) {
  if (amount != 0) fmt::print("    {:<46}{:>20}\n", name, format_money(amount, currency));
}

void print_statements(const query::Reconciliation& row) {
  for (const Statement& one : row.statements)
    fmt::print("  {} statement {}, version {}: {}\n", name_of(one.kind), to_text(one.id), one.file_version,
               name_of(one.state));
  for (const StatementKind kind : row.missing) fmt::print("  {} statement: missing\n", name_of(kind));
}

void print_differences(const query::Reconciliation& row) {
  for (const Difference& one : row.open)
    fmt::print("  {} {} {} {:>16} {}\n", to_text(one.id), name_of(one.difference_class), name_of(one.state),
               format_money(one.amount, row.currency), printable(one.subject));
  const query::UnlistedDifferences& more = row.unlisted;
  if (more.count > 0)
    fmt::print("  and {} further differences, {} of them in the proof with the sum {}\n", more.count, more.proof_count,
               format_money(more.proof_amount, row.currency));
}

void print_row(const query::Reconciliation& row) {
  const Currency currency = row.currency;
  fmt::print("{} {}  {}\n", row.date, currency.text(), name_of(row.result));
  print_statements(row);
  fmt::print("  {:<10}{:>10}{:>20}{:>10}{:>20}\n", "", "books", "", "statement", "");
  const auto print_sides = [&](std::string_view name, const query::SideSum& ours, const query::SideSum& theirs) {
    fmt::print("  {:<10}{:>10}{:>20}{:>10}{:>20}\n", name, ours.count, format_money(ours.amount, currency),
               theirs.count, format_money(theirs.amount, currency));
  };
  print_sides("payments", row.our_payments, row.their_payments);
  print_sides("refunds", row.our_refunds, row.their_refunds);
  if (row.proof) {
    fmt::print("  {:<48}{:>20}\n", "balance in the books", format_money(row.proof->books, currency));
    print_item("listed on this day, posted later", row.proof->booked_later, currency);
    print_item("posted up to this day, listed later", -row.proof->listed_later, currency);
    print_item("differences", row.proof->differences, currency);
    print_item("opening balance that the books do not have", row.proof->opening, currency);
    print_item("UNEXPLAINED", row.proof->unexplained, currency);
    fmt::print("  {:<48}{:>20}\n", "closing balance of the statement", format_money(row.proof->statement, currency));
  }
  if (!row.unknown_since.empty())
    fmt::print("  balance unknown: the statement of {} is missing or not compared\n", row.unknown_since);
  print_differences(row);
}

int reconcile(const Options& options) {
  const query::ReconciliationDays days = days_of(options);
  auto store = open_store({.url = options.store, .read_only = true, .migrate = false});
  if (!store) return report(store.error());
  auto reader = (*store)->open_reader();
  if (!reader) return report(reader.error());
  const auto account = find_account(**reader, options.channel);
  if (!account) return report_usage(account.error());
  const StatementPlan* plan = find_statement_plan(account->kind);
  if (plan == nullptr) return report_usage(Error{fmt::format("'{}' provides no statements", options.channel)});
  if (const auto checked = check_days(options, days, *plan); !checked) return report_usage(checked.error());
  const auto rows = query::reconcile(**reader, *account, *plan, days);
  if (!rows) return report(rows.error());
  if (rows->empty())
    return report(Error{fmt::format(
        "nothing to compare: '{}' has neither entries nor statements, and was created after these days. Give a day "
        "since then, or import the statements with 'finality statements import'",
        options.channel)});
  if (options.html) fmt::print("{}", query::reconciliation_page(*account, *rows));
  std::string separator = "[";
  for (const query::Reconciliation& row : *rows) {
    if (options.json) fmt::print("{}{}", std::exchange(separator, ","), query::reconciliation_json(*account, row));
    if (!options.json && !options.html) print_row(row);
  }
  if (options.json) fmt::print("]\n");
  const bool is_balanced =
      std::ranges::all_of(*rows, [](const auto& row) { return row.result == query::ReconciliationResult::balanced; });
  return is_balanced ? 0 : 1;
}

}  // namespace

void add_reconcile(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "reconcile", "Compare the books with the statements of an account; exit 1 if a day is not balanced");
  command->add_option("--store", options->store, kStoreUrls)->required();
  command->add_option("--channel", options->channel, "NAME of [channels.NAME] or [bank_accounts.NAME]")->required();
  CLI::Option* date =
      command->add_option("--date", options->date, "The day, in the time zone of the channel, YYYY-MM-DD")
          ->check(day_error);
  command->add_option("--from", options->from, "First day, instead of --date")->check(day_error)->excludes(date);
  command->add_option("--to", options->to, "Last day, instead of --date")->check(day_error)->excludes(date);
  add_clock_option(*command, options->clock_file);
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--html", options->html, "Print a page for the browser or the printer")->excludes(json);
  command->callback([options, &exit_code] {
    const bool has_days = !options->date.empty() || (!options->from.empty() && !options->to.empty());
    if (!has_days) throw CLI::RequiredError("--date, or --from and --to");
    exit_code = reconcile(*options);
  });
}

}  // namespace finality::app
