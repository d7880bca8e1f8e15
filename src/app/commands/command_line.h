// What the commands of the command line share.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace finality::app {

/// Adds a subcommand to `parent`. Commands use this instead of CLI11's add_subcommand(), which would be compiled in
/// each of their sources.
CLI::App* add_command(CLI::App& parent, std::string name, std::string description);

}  // namespace finality::app
