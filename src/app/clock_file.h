// Opens the clock that the option --clock selects: the machine's, or that of a clock file.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace CLI {
class App;
}

namespace finality::app {

/// The machine's clock without a file; with one a clock that `finality clock` moves, and a warning in the log.
Result<std::unique_ptr<const Clock>> open_clock(const std::string& file);

/// Adds `--clock FILE` to a command.
void add_clock_option(CLI::App& command, std::string& file);

}  // namespace finality::app
