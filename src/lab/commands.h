// The commands of finality-lab that are defined in this folder. They are added like those of app/commands/commands.h.
#pragma once

namespace CLI {
class App;
}

namespace finality::lab {

void add_simulate(CLI::App& app, int& exit_code);
void add_history(CLI::App& app, int& exit_code);

}  // namespace finality::lab
