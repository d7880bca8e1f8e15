// What the commands of the command line share.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace finality::app {

/// A subcommand of `parent`. Here and nowhere else: the parser's own function would compile the parser again in every
/// source that calls it.
CLI::App* add_command(CLI::App& parent, std::string name, std::string description);

}  // namespace finality::app
