// Commands `finality statements` and `finality differences`: list, fetch and import statements (对账单) and list
// differences (对账差异) over the API of a running server.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/admin_client.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/difference_text.h"
#include "app/server_objects.h"
#include "app/text_table.h"
#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "base/printable.h"
#include "model/objects/difference.h"
#include "model/objects/statement.h"

namespace finality::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kRowsMax = 1'000'000;  // of a list
constexpr std::chrono::seconds kComparisonWaitMax{20};
constexpr std::chrono::milliseconds kPollEvery{200};

struct Options {
  AdminServer server;
  std::string channel;  // NAME of a channel account
  std::string kind;
  std::string date;
  std::string funds_account;
  std::string from;
  std::string to;
  std::string state;
  std::string difference_class;
  std::string file;
  std::size_t limit = limits::kListLimitMax;
  bool as_json = false;
  bool no_wait = false;  // for the comparison of an imported statement
};

// Returns the id of the channel account with that name; empty for an empty name.
Result<std::string> account_of(const Options& options) {
  if (options.channel.empty()) return std::string();
  const auto account = find_channel_account(options.server, options.channel);
  if (!account) return std::unexpected(account.error());
  return text_of(*account, "id");
}

// Returns the objects of the list that meet the filters of the options, and those in `parameters`.
Result<json::array> list_filtered(const Options& options, const std::string& path, Parameters parameters) {
  const auto account = account_of(options);
  if (!account) return std::unexpected(account.error());
  parameters.insert(
      parameters.end(),
      {{"channel_account", *account}, {"from", options.from}, {"to", options.to}, {"state", options.state}});
  return list_all(options.server, path, std::move(parameters), options.limit);
}

int list_statements(const Options& options) {
  constexpr TextColumn kColumns[] = {{"id"},   {"channel"},       {"kind"},  {"funds_account"},
                                     {"date"}, {"version", true}, {"state"}, {"lines", true}};
  const auto statements = list_filtered(options, "/v1/statements", {{"kind", options.kind}});
  if (!statements) return report(statements.error());
  std::vector<std::vector<std::string>> rows;
  for (const json::value& item : *statements) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const TextColumn& column : kColumns) row.push_back(text_of(item.get_object(), column.title));
  }
  fmt::print("{}", options.as_json ? json::serialize(*statements) + "\n" : text_table(kColumns, rows));
  return 0;
}

int list_differences(const Options& options) {
  const auto differences =
      list_filtered(options, "/v1/differences", {{"date", options.date}, {"class", options.difference_class}});
  if (!differences) return report(differences.error());
  if (options.as_json) {
    fmt::print("{}\n", json::serialize(*differences));
    return 0;
  }
  const auto accounts = list_all(options.server, "/v1/channel_accounts", {}, kChannelAccountsReadMax);
  if (!accounts) return report(accounts.error());
  fmt::print("{}", difference_table(*differences, *accounts));
  return 0;
}

void print_statement(const Options& options, const json::object& statement) {
  if (options.as_json)
    fmt::print("{}\n", json::serialize(statement));
  else
    fmt::print("{}: {} statement of {} for {}, version {}, {}\n", text_of(statement, "id"), text_of(statement, "kind"),
               text_of(statement, "channel"), text_of(statement, "date"), text_of(statement, "version"),
               text_of(statement, "state"));
}

int fetch_statement(const Options& options) {
  const auto account = account_of(options);
  if (!account) return report(account.error());
  json::object body{{"channel_account", *account}, {"kind", options.kind}, {"date", options.date}};
  if (!options.funds_account.empty()) body["funds_account"] = options.funds_account;
  const auto statement = object_in(post_as_admin(options.server, "/v1/statements/fetch", json::serialize(body)));
  if (!statement) return report(statement.error());
  print_statement(options, *statement);
  return 0;
}

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(fmt::format("{} is a directory: name the file of the statement", path));
  std::ifstream input(path, std::ios::binary | std::ios::ate);
  const auto size = input ? static_cast<std::int64_t>(input.tellg()) : -1;
  if (size < 0) return fail(fmt::format("cannot read {}: check its name and permissions", path));
  if (size == 0) return fail(fmt::format("{} is empty", path));
  if (static_cast<std::size_t>(size) > limits::kStatementBytesMax)
    return fail(fmt::format("{} has more than {} MiB: compress it", path, limits::kStatementBytesMax >> 20));
  std::string text(static_cast<std::size_t>(size), '\0');
  input.seekg(0);
  if (!input.read(text.data(), size)) return fail(fmt::format("cannot read {}", path));
  return text;
}

std::optional<StatementState> state_of(const json::object& statement) {
  return parse_enum<StatementState>(text_of(statement, "state"));
}

bool is_compared(const json::object& statement) {
  const auto state = state_of(statement);
  return state == StatementState::matched || state == StatementState::rejected;
}

// Reads the statement until it is compared or rejected, at most for kComparisonWaitMax. Returns it as last read.
Result<json::object> wait_for_comparison(const Options& options, json::object statement) {
  const auto give_up_at = std::chrono::steady_clock::now() + kComparisonWaitMax;
  while (!is_compared(statement) && std::chrono::steady_clock::now() < give_up_at) {
    std::this_thread::sleep_for(kPollEvery);
    auto read = object_in(get_as_admin(options.server, "/v1/statements/" + percent_encode(text_of(statement, "id"))));
    if (!read) return read;
    statement = std::move(*read);
  }
  return statement;
}

// Prints the imported statement. Returns the exit code: an error unless it is compared.
int print_imported(const Options& options, const json::object& statement) {
  print_statement(options, statement);
  if (options.no_wait || state_of(statement) == StatementState::matched) return 0;
  if (state_of(statement) == StatementState::rejected)
    return report(Error{fmt::format("the statement is rejected: {}. Correct the file and import it again",
                                    text_of(statement, "failure"))});
  return report(
      Error{fmt::format("the server has not compared the statement within {} seconds and continues: see its "
                        "state with 'finality statements list'",
                        kComparisonWaitMax.count())});
}

int import_statement(const Options& options) {
  auto file = read_file(options.file);
  if (!file) return report_usage(file.error());
  const auto account = account_of(options);
  if (!account) return report(account.error());
  const std::string path = url_of("/v1/statements", {{"channel_account", *account},
                                                     {"kind", options.kind},
                                                     {"date", options.date},
                                                     {"funds_account", options.funds_account}});
  auto statement = object_in(upload_as_admin(options.server, path, std::move(*file)));
  if (statement && !options.no_wait) statement = wait_for_comparison(options, std::move(*statement));
  return statement ? print_imported(options, *statement) : report(statement.error());
}

template <class Enum>
CLI::IsMember one_of() {
  return CLI::IsMember(std::vector<std::string>(std::begin(kNames<Enum>), std::end(kNames<Enum>)));
}

void add_server(CLI::App& command, Options& options) {
  add_server_options(command, options.server, "an operator")->required();
  command.add_flag("--json", options.as_json, "Print JSON, also of errors of the server");
}

// Adds the options that select the statement of one day.
void add_day(CLI::App& command, Options& options) {
  command
      .add_option("--channel", options.channel,
                  "Name of the channel account: NAME of [channels.NAME] or [bank_accounts.NAME]")
      ->required();
  command.add_option("--kind", options.kind, "trades, funds or bank")
      ->check(one_of<StatementKind>())
      ->capture_default_str();
  command.add_option("--date", options.date, "Day of the statement in the time zone of the channel, YYYY-MM-DD")
      ->check(day_error)
      ->required();
  command.add_option("--funds-account", options.funds_account,
                     "Account at the channel, for kind funds of a channel with several");
}

// Adds the filters that statements and differences share.
void add_filters(CLI::App& command, Options& options) {
  command.add_option("--channel", options.channel,
                     "Only this channel account: NAME of [channels.NAME] or [bank_accounts.NAME]");
  command.add_option("--from", options.from, "Only days from this day on, YYYY-MM-DD")->check(day_error);
  command.add_option("--to", options.to, "Only days up to this day, YYYY-MM-DD")->check(day_error);
  command.add_option("--limit", options.limit, "Maximum number of rows, newest first")
      ->check(CLI::Range(std::size_t{1}, kRowsMax))
      ->capture_default_str();
}

template <class Run>
void on_run(CLI::App& command, const std::shared_ptr<Options>& options, int& exit_code, Run run) {
  command.callback([options, &exit_code, run] {
    options->server.json_errors = options->as_json;
    exit_code = run(*options);
  });
}

}  // namespace

void add_statements(CLI::App& app, int& exit_code) {
  CLI::App* statements = add_command(app, "statements", "List, fetch and import statements of channels and banks");
  statements->require_subcommand(1);

  auto of_list = std::make_shared<Options>();
  CLI::App* list = add_command(*statements, "list", "List the statements, newest first");
  add_server(*list, *of_list);
  add_filters(*list, *of_list);
  list->add_option("--kind", of_list->kind, "Only this kind: trades, funds or bank")->check(one_of<StatementKind>());
  list->add_option("--state", of_list->state, "Only statements in this state")->check(one_of<StatementState>());
  on_run(*list, of_list, exit_code, list_statements);

  auto of_fetch = std::make_shared<Options>();
  of_fetch->kind = name_of(StatementKind::trades);
  CLI::App* fetch = add_command(*statements, "fetch", "Download the statement of a day, again if it exists");
  add_server(*fetch, *of_fetch);
  add_day(*fetch, *of_fetch);
  on_run(*fetch, of_fetch, exit_code, fetch_statement);

  auto of_import = std::make_shared<Options>();
  of_import->kind = name_of(StatementKind::trades);
  CLI::App* import = add_command(*statements, "import",
                                 "Upload a file of a channel or a bank as a statement; exit 1 unless it is compared");
  import->add_option("file", of_import->file, "The file, as exported")->required();
  add_server(*import, *of_import);
  add_day(*import, *of_import);
  import->add_flag("--no-wait", of_import->no_wait,
                   "Exit when the server has the file; without it, wait up to 20 seconds for the comparison");
  on_run(*import, of_import, exit_code, import_statement);
}

void add_differences(CLI::App& app, int& exit_code) {
  CLI::App* differences = add_command(app, "differences", "List differences between statements and the books");
  differences->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* list = add_command(*differences, "list", "List the differences, newest first");
  add_server(*list, *options);
  add_filters(*list, *options);
  list->add_option("--date", options->date, "Only this day, YYYY-MM-DD")->check(day_error);
  list->add_option("--class", options->difference_class, "Only this class")->check(one_of<DifferenceClass>());
  list->add_option("--state", options->state, "Only differences in this state")->check(one_of<DifferenceState>());
  on_run(*list, options, exit_code, list_differences);
}

}  // namespace finality::app
