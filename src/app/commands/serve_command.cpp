// Command `finality serve`: runs the server, or checks its configuration.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/clock_file.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/config/config.h"
#include "app/config_check.h"
#include "base/printable.h"

namespace finality::app {
namespace {

int run(const std::string& path, const std::string& clock_file) {
  ignore_write_signals();
  auto options = read_config(path);
  if (!options) return report(options.error());
  options->clock_file = clock_file;
  log::configure(options->log);
  for (const ConfigWarning& one : options->warnings) log::warn(one.message, {{"detail", one.detail}});
  auto node = Node::start(std::move(*options));
  if (!node) return report(node.error());
  (*node)->read_keys_on_hangup();
  (*node)->run_until_stopped();
  return 0;
}

constexpr std::string_view kNotChecked =
    "not checked: whether the channels accept these keys, whether payers and channels reach the public URL, whether "
    "the "
    "addresses to listen on are free, and whether the store can be written";

int check(const std::string& path) {
  auto options = read_config(path);
  if (!options) return report(options.error());
  const ConfigReport found = check_config(std::move(*options));
  for (const auto& [name, value] : found.facts) fmt::print("{:<14} {}\n", name, printable(value));
  for (const std::string& warning : found.warnings) fmt::print("warning: {}\n", printable(warning));
  fmt::print("{}\n", kNotChecked);
  for (const std::string& error : found.errors) report(Error{printable(error)});
  if (!found.errors.empty()) return 1;
  fmt::print("the configuration is valid\n");
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto path = std::make_shared<std::string>();
  auto clock_file = std::make_shared<std::string>();
  CLI::App* serve = add_command(app, "serve", "Run the server");
  serve->add_option("--config", *path, "Configuration file (TOML); docs/reference/configuration.md lists the settings")
      ->required()
      ->check(CLI::ExistingFile);
  auto only_check = std::make_shared<bool>(false);
  serve->add_flag("--check", *only_check,
                  "Check the configuration with its keys, routes and store, print a summary and exit: 0 if the server "
                  "can start, else 1");
  add_clock_option(*serve, *clock_file);
  serve->callback(
      [path, clock_file, only_check, &exit_code] { exit_code = *only_check ? check(*path) : run(*path, *clock_file); });
}

}  // namespace finality::app
