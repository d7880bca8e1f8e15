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

/// Returns `base` if `file` is empty. Otherwise opens or creates the clock file, which `finality clock` advances, and
/// logs a warning; the time of the file's clock is that of `base` plus its offset. An error names the file.
Result<std::shared_ptr<const Clock>> open_clock(const std::string& file,
                                                std::shared_ptr<const Clock> base = std::make_shared<SystemClock>());

/// Adds the option `--clock FILE` to a command. Parsing stores FILE in `file`, which must outlive `command`.
void add_clock_option(CLI::App& command, std::string& file);

}  // namespace finality::app
