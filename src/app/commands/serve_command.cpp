// Command `finality serve`: runs the server.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/clock_file.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/config/config.h"

namespace finality::app {
namespace {

int run(const std::string& path, const std::string& clock_file) {
  ignore_write_signals();
  auto options = read_config(path);
  if (!options) return report(options.error());
  options->clock_file = clock_file;
  log::configure(options->log);
  auto node = Node::start(std::move(*options));
  if (!node) return report(node.error());
  (*node)->read_keys_on_hangup();
  (*node)->run_until_stopped();
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
  add_clock_option(*serve, *clock_file);
  serve->callback([path, clock_file, &exit_code] { exit_code = run(*path, *clock_file); });
}

}  // namespace finality::app
