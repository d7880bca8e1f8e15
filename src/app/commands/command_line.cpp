#include "app/commands/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace finality::app {

CLI::App* add_command(CLI::App& parent, std::string name, std::string description) {
  return parent.add_subcommand(std::move(name), std::move(description));
}

}  // namespace finality::app
