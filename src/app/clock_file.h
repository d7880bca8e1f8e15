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

/// Returns the clock file for a command that works on the store of that URL: `file`, or if it is empty and the store is
/// the SQLite database of a `finality demo`, the clock file of this demo. Empty for other stores.
std::string clock_file_for(const std::string& file, const std::string& store_url);

/// Adds the option `--clock FILE` to a command. Parsing stores FILE in `file`, which must outlive `command`.
void add_clock_option(CLI::App& command, std::string& file);

}  // namespace finality::app
