// Helpers shared by the commands of the command line.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace finality::app {

/// Adds a subcommand to `parent`. Commands use this instead of CLI11's add_subcommand(), which would be compiled in
/// each of their sources.
CLI::App* add_command(CLI::App& parent, std::string name, std::string description);

/// Text to print for a command line that cannot be parsed: the error, and the subcommands if one is missing.
std::string failure_message(const CLI::App* app, const CLI::Error& error);

}  // namespace finality::app
