#include "app/clock_file.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string_view>
#include <system_error>

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

std::string clock_file_for(const std::string& file, const std::string& store_url) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (!file.empty() || !store_url.starts_with(kSqlite)) return file;
  const auto directory = std::filesystem::path(store_url.substr(kSqlite.size())).parent_path();
  const auto clock = directory / "clock";
  std::error_code ignored;
  const bool is_demo = std::filesystem::exists(directory / "demo.lock", ignored);
  return is_demo && std::filesystem::exists(clock, ignored) ? clock.string() : std::string();
}

void add_clock_option(CLI::App& command, std::string& file) {
  command.add_option("--clock", file,
                     "Clock file that replaces the system clock; `finality clock advance` moves its time forward. For "
                     "tests and rehearsals only; commands on the store of a demo find its clock file themselves");
}

}  // namespace finality::app
