// Helpers shared by the commands of the command line.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace finality::app {

/// The main function of the program `name`: parses the command line with the commands that `add_commands` adds, and
/// runs the selected command. Returns its exit code.
int run_command_line(int argc, char** argv, std::string name, std::string about,
                     void (*add_commands)(CLI::App& app, int& exit_code));

/// Adds a subcommand to `parent`, which owns the subcommand. Reduces build time: CLI11's add_subcommand() would be
/// compiled in every source that calls it.
CLI::App* add_command(CLI::App& parent, std::string name, std::string description);

/// The message for a command line that cannot be parsed: the error, followed by the subcommands if one is missing.
std::string failure_message(const CLI::App* app, const CLI::Error& error);

/// Check of options that take a day: the error, empty if `text` is a calendar day YYYY-MM-DD.
std::string day_error(const std::string& text);

/// For commands that run a server: makes writes fail with an error where the system would kill the process with SIGPIPE
/// (the reader of a pipe, such as the log, has gone) or SIGXFSZ (the limit of file sizes is reached).
void ignore_write_signals();

}  // namespace finality::app
