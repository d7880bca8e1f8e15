// Commands `finality bench`, `simulate` and `history`: run the program finality-lab, which contains their code (ADR
// 0054).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"

namespace finality::app {
namespace {

// Replaces this process by finality-lab, which is in the folder of this program. Returns only if it cannot be run.
int run_lab(const std::string& command, std::vector<std::string> arguments) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return report(Error{"cannot find the folder of this program: " + error.message()});
  const std::string lab = program.parent_path() / "finality-lab";
  arguments.insert(arguments.begin(), {"finality", command});
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(lab.c_str(), argv.data());
  const std::error_code reason(errno, std::generic_category());
  if (reason == std::errc::no_such_file_or_directory)
    return report(Error{"`finality " + command + "` needs the program " + lab +
                        ", which does not exist. Build it in the source directory: make lab"});
  return report(Error{"cannot run " + lab + ": " + reason.message()});
}

}  // namespace

void add_lab_commands(CLI::App& app, int& exit_code) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kCommands{
      {{"bench", "Run benchmarks"},
       {"simulate", "Run deterministic fault-injection simulations; exit 1 if an invariant is broken"},
       {"history", "Check recorded requests and answers of the API"}}};
  for (const auto& [name, description] : kCommands) {
    CLI::App* command = add_command(app, name, description);
    command->prefix_command();   // all further arguments are for finality-lab,
    command->set_help_flag("");  // also --help
    command->callback([command, &exit_code] { exit_code = run_lab(command->get_name(), command->remaining()); });
  }
}

}  // namespace finality::app
