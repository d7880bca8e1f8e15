// Command `finality clock`: shows or advances the time of a demo, or of servers started with --clock.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/clock_file.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/config/duration_text.h"
#include "base/time/movable_clock.h"

namespace finality::app {
namespace {

struct Options {
  std::string file = "demo-data/clock";
  std::string by;
};

Result<std::unique_ptr<MovableClock>> open_clock_of(const Options& options, bool writable) {
  if (!std::filesystem::exists(options.file))
    return fail(
        fmt::format("clock file not found: '{}'. Set --file; the clock file of a demo is DIR/clock", options.file));
  return MovableClock::open_existing(options.file, writable);
}

int show(const MovableClock& clock) {
  fmt::print("{}\n", to_rfc3339(clock.now()));
  return 0;
}

int run_show(const Options& options) {
  const auto clock = open_clock_of(options, false);
  return clock ? show(**clock) : report(clock.error());
}

int run_advance(const Options& options) {
  const auto by = parse_duration(options.by, MovableClock::kOffsetMax);
  if (!by)
    return report(
        {fmt::format("invalid duration '{}': expected a positive whole number and s, m, h or d, such as 36h, at "
                     "most {} days",
                     options.by, std::chrono::duration_cast<std::chrono::days>(MovableClock::kOffsetMax).count())});
  const auto clock = open_clock_of(options, true);
  if (!clock) return report(clock.error());
  if (auto moved = (*clock)->advance(*by); !moved) return report(moved.error());
  return show(**clock);
}

}  // namespace

void add_clock(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* clock = add_command(app, "clock", "Show or advance the time of a demo, or of servers started with --clock");
  clock->require_subcommand(1);
  const auto add_file = [&](CLI::App* command) {
    command->add_option("--file", options->file, "Clock file")->capture_default_str();
  };
  CLI::App* show = add_command(*clock, "show", "Print the current time of the clock file");
  add_file(show);
  show->callback([options, &exit_code] { exit_code = run_show(*options); });
  CLI::App* advance =
      add_command(*clock, "advance", "Move the time forward for every program that uses this clock file");
  advance->add_option("duration", options->by, "Duration, such as 90s, 15m, 36h or 7d")->required();
  add_file(advance);
  advance->callback([options, &exit_code] { exit_code = run_advance(*options); });
}

}  // namespace finality::app
