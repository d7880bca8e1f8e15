// finality bench: what can be measured without the network.
#pragma once

namespace CLI {
class App;
}

namespace finality::bench {

/// Adds the command to the parser; its exit code lands in `exit_code`.
void add_bench(CLI::App& app, int& exit_code);

}  // namespace finality::bench
