// finality serve: the server.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/config.h"
#include "app/report.h"

namespace finality::app {
namespace {

int run(const std::string& path) {
  auto options = read_config(path);
  if (!options) return report(options.error());
  const bool v6 = options->address.contains(':');
  const std::string address = v6 ? "[" + options->address + "]" : options->address;
  auto node = Node::start(std::move(*options));
  if (!node) return report(node.error());
  spdlog::info("listening on http://{}:{}", address, (*node)->port());
  (*node)->read_keys_on_hangup();
  (*node)->run_until_stopped();
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto path = std::make_shared<std::string>();
  CLI::App* serve = app.add_subcommand("serve", "Run the server");
  serve->add_option("--config", *path, "Configuration file (TOML); docs/reference/configuration.md lists the settings")
      ->required()
      ->check(CLI::ExistingFile);
  serve->callback([path, &exit_code] { exit_code = run(*path); });
}

}  // namespace finality::app
