// The option --clock, which replaces the system clock by a movable clock that is stored in a file.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace CLI {
class App;
}

namespace finality::app {

/// Opens the system clock if `file` is empty. Otherwise opens or creates the clock file, which `finality clock`
/// advances, and logs a warning. An error names the file.
Result<std::unique_ptr<const Clock>> open_clock(const std::string& file);

/// Adds the option `--clock FILE` to a command. Parsing stores FILE in `file`, which must outlive `command`.
void add_clock_option(CLI::App& command, std::string& file);

}  // namespace finality::app
