// Command `finality history check`: checks whether recorded API responses are consistent with some order of events.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "history/check.h"
#include "history/json_lines.h"
#include "lab/commands.h"

namespace finality::lab {

using namespace app;
namespace {

namespace json = boost::json;

constexpr std::size_t kShownMax = 20;  // maximum number of operations printed per violation
constexpr std::size_t kShownLineMax = 400;

struct Checked {
  std::string file;
  std::vector<history::Operation> operations;
  history::Report report;
};

Result<Checked> check_file(const std::string& file) {
  std::ifstream in(file);
  if (!in) return fail("cannot open " + file);
  Checked checked{.file = file};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    auto operation = history::parse_operation(line);
    if (!operation) return fail(fmt::format("{}:{}: {}", file, number, operation.error().message));
    checked.operations.push_back(std::move(*operation));
  }
  if (in.bad()) return fail("cannot read " + file);
  checked.report = history::check(checked.operations);
  return checked;
}

void print_json(const std::vector<Checked>& all) {
  std::size_t operations = 0, unanswered = 0, objects = 0, accounts = 0, undecided = 0;
  json::array impossible;
  for (const Checked& run : all) {
    operations += run.report.operations;
    unanswered += run.report.unanswered;
    objects += run.report.objects;
    accounts += run.report.accounts;
    undecided += run.report.undecided;
    for (const history::Impossibility& found : run.report.impossible) {
      json::array window;
      for (const std::size_t place : found.operations) window.emplace_back(to_json(run.operations[place]));
      impossible.push_back(json::object{{"file", run.file},
                                        {"object", found.object},
                                        {"rule", found.rule},
                                        {"detail", found.detail},
                                        {"operations", std::move(window)}});
    }
  }
  fmt::print("{}\n", json::serialize(json::object{{"operations", operations},
                                                  {"unanswered", unanswered},
                                                  {"objects", objects},
                                                  {"accounts", accounts},
                                                  {"undecided", undecided},
                                                  {"impossible", std::move(impossible)}}));
}

void print_text(const Checked& checked) {
  const history::Report& report = checked.report;
  for (const history::Impossibility& found : report.impossible) {
    fmt::print("IMPOSSIBLE {}: {}: {}\n", found.object, found.rule, found.detail);
    for (std::size_t i = 0; i < std::min(found.operations.size(), kShownMax); ++i)
      fmt::print("  {}\n", to_line(checked.operations[found.operations[i]]).substr(0, kShownLineMax));
    if (found.operations.size() > kShownMax) fmt::print("  and {} more\n", found.operations.size() - kShownMax);
  }
  fmt::print("{}: {} requests, {} of them unanswered; {} objects, {} accounts", checked.file, report.operations,
             report.unanswered, report.objects, report.accounts);
  if (report.undecided > 0) fmt::print(", {} of them undecided: search limit reached", report.undecided);
  fmt::print("{}\n", report.impossible.empty() ? ". All answers are consistent."
                                               : fmt::format(". {} impossible.", report.impossible.size()));
}

int check_files(const std::vector<std::string>& files, bool as_json) {
  std::vector<Checked> all;
  for (const std::string& file : files) {
    auto checked = check_file(file);
    if (!checked) return report(checked.error());
    all.push_back(std::move(*checked));
  }
  if (as_json)
    print_json(all);
  else
    std::ranges::for_each(all, print_text);
  return std::ranges::all_of(all, [](const Checked& run) { return run.report.impossible.empty(); }) ? 0 : 1;
}

}  // namespace

void add_history(CLI::App& app, int& exit_code) {
  struct Options {
    std::vector<std::string> files;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* history_app = add_command(app, "history", "Check recorded requests and answers of the API");
  history_app->require_subcommand(1);
  CLI::App* check_app =
      add_command(*history_app, "check",
                  "Check whether the answers in a file are consistent with some order of events; exit 1 if not");
  check_app->add_option("FILE", options->files, "History files: JSON Lines, one request per line, one run per file")
      ->required();
  check_app->add_flag("--json", options->json, "Print JSON");
  check_app->callback([options, &exit_code] { exit_code = check_files(options->files, options->json); });
}

}  // namespace finality::lab
