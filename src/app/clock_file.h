// Opens the clock selected by the option --clock: the system clock, or the clock of a clock file.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace CLI {
class App;
}

namespace finality::app {

/// Opens the system clock if `file` is empty. Otherwise opens a clock that `finality clock` moves, and logs a warning.
Result<std::unique_ptr<const Clock>> open_clock(const std::string& file);

/// Adds `--clock FILE` to a command.
void add_clock_option(CLI::App& command, std::string& file);

}  // namespace finality::app
