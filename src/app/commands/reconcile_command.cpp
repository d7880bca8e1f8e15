// Command `finality reconcile`: compares the books with the statements of an account, day by day, directly in a store
// or over the API of a running server.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/clock_file.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/server_objects.h"
#include "base/printable.h"
#include "base/time/time.h"
#include "channel/registry.h"
#include "query/parse_reconciliation.h"
#include "query/render_reconciliation.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::string store;
  AdminServer server;
  std::string channel;
  std::string date;
  std::string from;
  std::string to;
  std::string clock_file;  // empty: the system clock
  bool json = false;
  bool html = false;
};

// The error suggests only accounts that have statements.
Result<ChannelAccount> find_account(Reader& reader, const std::string& channel) {
  const auto accounts = reader.channel_accounts();
  if (!accounts) return std::unexpected(accounts.error());
  const auto found = std::ranges::find(*accounts, channel, &ChannelAccount::channel);
  if (found != accounts->end()) return *found;
  std::vector<std::string> names;
  for (const ChannelAccount& account : *accounts)
    if (find_statement_plan(account.kind) != nullptr) names.push_back(printable(account.channel));
  return fail(fmt::format(
      "no channel account has the name '{}': {}", channel,
      names.empty() ? "the store has none with statements" : fmt::format("use {}", fmt::join(names, ", "))));
}

query::ReconciliationDays days_of(const Options& options) {
  if (!options.date.empty()) return {options.date, options.date};
  return {options.from, options.to};
}

// Checks the days as the API does. The error names the option.
Result<void> check_days(const Options& options, const query::ReconciliationDays& days, const StatementPlan& plan) {
  const auto clock = open_clock(clock_file_for(options.clock_file, options.store));
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

// What the command prints: the account with its rows, and the rows as JSON.
struct Compared {
  ChannelAccount account;
  std::vector<query::Reconciliation> rows;
  std::string json;
};

// An error with the exit code of the command.
struct Failure {
  Error error;
  int (*report)(const Error&) = app::report;
};

std::expected<Compared, Failure> compare_in_store(const Options& options) {
  auto store = open_store({.url = options.store, .read_only = true, .migrate = false});
  if (!store) return std::unexpected(Failure{store.error()});
  auto reader = (*store)->open_reader();
  if (!reader) return std::unexpected(Failure{reader.error()});
  auto account = find_account(**reader, options.channel);
  if (!account) return std::unexpected(Failure{account.error(), report_usage});
  const StatementPlan* plan = find_statement_plan(account->kind);
  if (plan == nullptr)
    return std::unexpected(Failure{{fmt::format("'{}' provides no statements", options.channel)}, report_usage});
  const query::ReconciliationDays days = days_of(options);
  if (const auto checked = check_days(options, days, *plan); !checked)
    return std::unexpected(Failure{checked.error(), report_usage});
  auto rows = query::reconcile(**reader, *account, *plan, days);
  if (!rows) return std::unexpected(Failure{rows.error()});
  std::vector<std::string> texts;
  for (const query::Reconciliation& row : *rows) texts.push_back(query::reconciliation_json(*account, row));
  return Compared{std::move(*account), std::move(*rows), fmt::format("[{}]", fmt::join(texts, ","))};
}

// The server checks the days.
std::expected<Compared, Failure> compare_on_server(const Options& options) {
  const auto found = find_channel_account(options.server, options.channel);
  if (!found) return std::unexpected(Failure{found.error()});
  ChannelAccount account;
  account.channel = options.channel;
  const std::string id = text_of(*found, "id");
  account.id = parse_id<ChannelAccountId>(id).value_or(ChannelAccountId{});
  const query::ReconciliationDays days = days_of(options);
  const auto list = object_in(get_as_admin(
      options.server, url_of("/v1/reconciliation", {{"channel_account", id}, {"from", days.from}, {"to", days.to}})));
  const auto data = list ? data_of(*list) : std::unexpected(list.error());
  if (!data) return std::unexpected(Failure{data.error()});
  std::vector<query::Reconciliation> rows;
  for (const json::value& item : *data) {
    auto row = query::parse_reconciliation(item.get_object());
    if (!row) return std::unexpected(Failure{row.error()});
    rows.push_back(std::move(*row));
  }
  return Compared{std::move(account), std::move(rows), json::serialize(*data)};
}

int reconcile(const Options& options) {
  const auto compared = options.store.empty() ? compare_on_server(options) : compare_in_store(options);
  if (!compared) return compared.error().report(compared.error().error);
  const std::vector<query::Reconciliation>& rows = compared->rows;
  if (rows.empty())
    return report(Error{fmt::format(
        "nothing to compare: '{}' has neither entries nor statements up to these days. Give a later day, or import the "
        "statements with 'finality statements import'",
        options.channel)});
  if (options.html)
    fmt::print("{}", query::reconciliation_page(compared->account, rows));
  else if (options.json)
    fmt::print("{}\n", compared->json);
  else
    for (const query::Reconciliation& row : rows) print_row(row);
  const bool is_balanced =
      std::ranges::all_of(rows, [](const auto& row) { return row.result == query::ReconciliationResult::balanced; });
  return is_balanced ? 0 : 1;
}

}  // namespace

void add_reconcile(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "reconcile", "Compare the books with the statements of an account; exit 1 if a day is not balanced");
  CLI::Option* store = command->add_option("--store", options->store, kStoreUrls);
  CLI::Option* server = add_server_options(*command, options->server, "an operator");
  store->excludes(server);
  command->add_option("--channel", options->channel, "NAME of [channels.NAME] or [bank_accounts.NAME]")->required();
  CLI::Option* date =
      command->add_option("--date", options->date, "The day, in the time zone of the channel, YYYY-MM-DD")
          ->check(day_error);
  command->add_option("--from", options->from, "First day, instead of --date")->check(day_error)->excludes(date);
  command->add_option("--to", options->to, "Last day, instead of --date")->check(day_error)->excludes(date);
  add_clock_option(*command, options->clock_file);
  command->get_option("--clock")->excludes(server);
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--html", options->html, "Print a page for the browser or the printer")->excludes(json);
  command->callback([options, &exit_code] {
    if (options->store.empty() && options->server.url.empty()) throw CLI::RequiredError("--store or --server");
    options->server.json_errors = options->json;
    const bool has_days = !options->date.empty() || (!options->from.empty() && !options->to.empty());
    if (!has_days) throw CLI::RequiredError("--date, or --from and --to");
    exit_code = reconcile(*options);
  });
}

}  // namespace finality::app
