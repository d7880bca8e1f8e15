// Command `finality bench`: benchmarks of the engine, and hidden HTTP benchmarks for tools/bench.
#pragma once

namespace CLI {
class App;
}

namespace finality::bench {

/// Adds the command to the parser; stores its exit code in `exit_code`.
void add_bench(CLI::App& app, int& exit_code);

}  // namespace finality::bench
