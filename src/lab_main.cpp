// Entry point of the program `finality-lab`: simulations, benchmarks and the check of histories.
#include <string_view>

#include "app/commands/command_line.h"
#include "bench/bench_command.h"
#include "lab/commands.h"

namespace {

void add_commands(CLI::App& app, int& exit_code) {
  finality::bench::add_bench(app, exit_code);
  finality::lab::add_simulate(app, exit_code);
  finality::lab::add_history(app, exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  // `finality` passes its own name, so that help and errors show the command that the user entered.
  const bool is_direct = argc == 0 || std::string_view(argv[0]).ends_with("finality-lab");
  return finality::app::run_command_line(argc, argv, is_direct ? "finality-lab" : "finality",
                                         "Runs the commands of `finality` that simulate, measure and check histories.",
                                         add_commands);
}
