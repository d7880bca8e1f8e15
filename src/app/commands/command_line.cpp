#include "app/commands/command_line.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <utility>
#include <vector>

#include "app/commands/report.h"
#include "app/version.h"
#include "base/printable.h"
#include "base/time/time.h"

namespace finality::app {

int run_command_line(int argc, char** argv, std::string name, std::string about,
                     void (*add_commands)(CLI::App& app, int& exit_code)) {
  ::umask(0077);  // only their owner can read stores, backups and key files
  CLI::App app{std::move(about)};
  app.name(std::move(name));
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.failure_message(failure_message);
  int exit_code = 0;
  add_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  return exit_code;
}

CLI::App* add_command(CLI::App& parent, std::string name, std::string description) {
  return parent.add_subcommand(std::move(name), std::move(description));
}

std::string failure_message(const CLI::App* app, const CLI::Error& error) {
  std::string text = std::string(error.what()) + "\n";
  const CLI::App* root = app;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  if (const std::vector<std::string> unknown = root->remaining(true); !unknown.empty())
    text = fmt::format("Unknown command or option: {}\n", printable(unknown.front()));
  const std::vector<const CLI::App*> commands = app->get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty()) {
    text += "\nCommands:\n";
    for (const CLI::App* command : commands)
      text += fmt::format("  {:<12} {}\n", command->get_name(), command->get_description());
    text += '\n';
  }
  std::string name;
  for (const CLI::App* at = app; at != nullptr; at = at->get_parent()) name = at->get_name() + ' ' + name;
  return text + fmt::format("Run `{}--help` for details.\n", name);
}

std::string day_error(const std::string& text) {
  return is_date(text) ? "" : fmt::format("'{}' must be a calendar day of the form 2026-01-31", printable(text));
}

void ignore_write_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

}  // namespace finality::app
