#include "app/clock_file.h"

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "base/time/movable_clock.h"

namespace finality::app {

Result<std::shared_ptr<const Clock>> open_clock(const std::string& file, std::shared_ptr<const Clock> base) {
  if (file.empty()) return base;
  auto clock = MovableClock::open(file, std::move(base));
  if (!clock) return std::unexpected(clock.error());
  log::warn("movable clock in use, not for production", {{"file", file}, {"now", to_rfc3339((*clock)->now())}});
  return std::move(*clock);
}

void add_clock_option(CLI::App& command, std::string& file) {
  command.add_option("--clock", file,
                     "Clock file that replaces the system clock; `finality clock advance` moves its time forward. For "
                     "tests and rehearsals only");
}

}  // namespace finality::app
