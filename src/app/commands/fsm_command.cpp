// Commands `finality fsm check` and `finality fsm show`: check and print the state machines.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "model/machines.h"
#include "wire/machine_json.h"

namespace finality::app {
namespace {

// Prints the results of the checks, which ran at compile time. Returns 1 if a machine fails a check.
int check() {
  int broken = 0;
  for (const fsm::View& machine : all_machines()) {
    const std::size_t cells = machine.states.size() * machine.events.size();
    fmt::print("{:<10} {:<6} {} states, {} events, {} cells: {}\n", machine.name, machine.title, machine.states.size(),
               machine.events.size(), cells,
               machine.finding.empty() ? "complete, reachable, ending, minimal" : machine.finding);
    broken += !machine.finding.empty();
  }
  return broken == 0 ? 0 : 1;
}

void print(const fsm::View& machine, const std::string& format, bool with_heading) {
  static const std::map<std::string, std::string (*)(const fsm::View&)> writers = {
      {"table", fsm::to_table}, {"mermaid", fsm::to_mermaid}, {"dot", fsm::to_dot}, {"json", wire::machine_json}};
  if (with_heading && format == "table") fmt::print("### {} ({})\n\n", machine.name, machine.title);
  fmt::print("{}\n", writers.at(format)(machine));
}

int show(const std::string& name, const std::string& format) {
  if (name.empty() && format == "json") {
    std::string list;
    for (const fsm::View& machine : all_machines()) list += (list.empty() ? "[" : ",") + wire::machine_json(machine);
    fmt::print("{}]\n", list);
    return 0;
  }
  bool found = false;
  for (const fsm::View& machine : all_machines()) {
    if (!name.empty() && machine.name != name) continue;
    print(machine, format, name.empty());
    found = true;
  }
  if (found) return 0;
  std::string known;
  for (const fsm::View& machine : all_machines()) known += fmt::format(" {}", machine.name);
  fmt::print(stderr, "finality: unknown machine '{}'; the machines are:{}\n", name, known);
  return 1;
}

std::string names() {
  std::string all;
  for (const fsm::View& view : all_machines()) all += fmt::format("{}{}", all.empty() ? "" : ", ", view.name);
  return all;
}

}  // namespace

void add_fsm(CLI::App& app, int& exit_code) {
  CLI::App* fsm = add_command(app, "fsm", "Show and check the state machines");
  fsm->require_subcommand(1);
  add_command(*fsm, "check", "Print the findings of the checks of every machine; exit 1 if a machine is broken")
      ->callback([&exit_code] { exit_code = check(); });

  struct Options {
    std::string machine;
    std::string format = "table";
  };
  auto options = std::make_shared<Options>();
  CLI::App* shown = add_command(*fsm, "show", "Print one machine, or all of them");
  shown->add_option("machine", options->machine, fmt::format("One of: {}. Default: all", names()));
  shown->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"table", "mermaid", "dot", "json"}))
      ->capture_default_str();
  shown->callback([options, &exit_code] { exit_code = show(options->machine, options->format); });
}

}  // namespace finality::app
