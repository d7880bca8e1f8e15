// finality simulate: worlds in which everything goes wrong, and an auditor that looks on.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/report.h"
#include "sim/simulation.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::string seeds = "1..100";
  int payments = 200;
  int engines = 0;
  std::string store = "memory";
  bool json = false;
  bool trace = false;
};

// A broken FINALITY_CHECK stops the program; whoever repeats it has to know the seed.
void say_seed(int) {
  const std::string text =
      fmt::format("finality: this happened in seed {0}; repeat it with --seeds {0}..{0}\n", sim::seed_under_way());
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::signal(SIGABRT, SIG_DFL);
}

// "7" or "1..1000".
Result<std::pair<std::uint64_t, std::uint64_t>> parse_seeds(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::size_t dots = text.find("..");
  const auto first = number(text.substr(0, dots));
  const auto last = dots == std::string::npos ? first : number(text.substr(dots + 2));
  if (!first || !last || *last < *first) return fail("'" + text + "' is no range of seeds: use 1..1000, or one seed");
  return std::pair(*first, *last);
}

std::string replay_of(const Options& options, std::uint64_t seed) {
  std::string command = fmt::format("finality simulate --seeds {0}..{0} --payments {1}", seed, options.payments);
  if (options.engines > 0) command += fmt::format(" --engines {}", options.engines);
  if (options.store != "memory") command += " --store " + options.store;
  return command;
}

double per_second(std::int64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

void print_json(const Options& options, const sim::SimulationReport& report, double seconds) {
  json::object faults;
  for (std::size_t i = 0; i < report.faults.size(); ++i) faults[kNames<sim::Fault>[i]] = report.faults[i];
  json::array missing;
  for (const std::string& cell : report.coverage.missing()) missing.emplace_back(cell);
  json::array violations;
  for (const auto& [seed, place, finding] : report.findings)
    violations.push_back(json::object{{"seed", seed},
                                      {"invariant", finding.invariant},
                                      {"detail", finding.detail},
                                      {"replay", replay_of(options, seed)}});
  const json::object cells{{"reached", report.coverage.reached()},
                           {"reachable", report.coverage.reachable()},
                           {"missing", std::move(missing)}};
  fmt::print("{}\n", json::serialize(json::object{{"seeds", report.seeds},
                                                  {"payments", report.payments},
                                                  {"payments_per_second", per_second(report.payments, seconds)},
                                                  {"faults", std::move(faults)},
                                                  {"cells", cells},
                                                  {"violations", std::move(violations)},
                                                  {"trace_hash", fmt::format("{:016x}", report.trace_hash)}}));
}

void print_text(const Options& options, const sim::SimulationReport& report, double seconds) {
  fmt::print("{} seeds, {} payments, {:.0f} a second, trace {:016x}\n", report.seeds, report.payments,
             per_second(report.payments, seconds), report.trace_hash);
  for (std::size_t i = 0; i < report.faults.size(); ++i)
    fmt::print("{:<24}{:>12}\n", kNames<sim::Fault>[i], report.faults[i]);
  fmt::print("cells reached: {} of {}\n", report.coverage.reached(), report.coverage.reachable());
  for (const std::string& cell : report.coverage.missing()) fmt::print("not reached: {}\n", cell);
  for (const auto& [seed, place, finding] : report.findings)
    fmt::print("VIOLATION {}: {}\n  replay: {}\n", finding.invariant, finding.detail, replay_of(options, seed));
  if (report.findings.empty()) fmt::print("Every invariant held.\n");
}

int simulate(const Options& options) {
  const auto seeds = parse_seeds(options.seeds);
  if (!seeds) return report(seeds.error());
  const auto kind = *parse_enum<sim::StoreKind>(options.store);
  const bool on_disk = kind != sim::StoreKind::memory;
  if (on_disk && options.engines > 1)
    return report(Error{"a SQLite store has one writing process: use --engines 1, or --store memory"});
  sim::SimulationOptions simulation{.first_seed = seeds->first, .last_seed = seeds->second};
  simulation.threads = options.trace ? 1 : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  simulation.world.payments = options.payments;
  simulation.world.store = kind;
  simulation.world.trace = options.trace;
  if (options.engines > 0 || on_disk) simulation.world.engines = std::max(1, options.engines);
  const std::uint64_t all = seeds->second - seeds->first + 1;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (terminal && !options.trace)
    simulation.progress = [all](std::uint64_t done, std::int64_t payments) {
      fmt::print(stderr, "\r{} of {} seeds, {} payments{}", done, all, payments, done == all ? "\n" : "");
    };
  const auto directory = std::filesystem::temp_directory_path() / fmt::format("finality-simulate-{}", ::getpid());
  simulation.world.directory = directory.string();

  std::signal(SIGABRT, say_seed);
  const auto begin = std::chrono::steady_clock::now();
  const sim::SimulationReport found = sim::simulate(simulation);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  if (options.json)
    print_json(options, found, seconds.count());
  else
    print_text(options, found, seconds.count());
  return found.findings.empty() ? 0 : 1;
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* simulate_app = app.add_subcommand(
      "simulate", "Run the engine in worlds where everything goes wrong; exit 1 when an invariant is broken");
  simulate_app->add_option("--seeds", options->seeds, "A range A..B, or one seed; the same seed is the same world")
      ->capture_default_str();
  simulate_app->add_option("--payments", options->payments, "Orders that each world begins")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  simulate_app->add_option("--engines", options->engines, "Engines on one store (default: one to three, by the seed)")
      ->check(CLI::Range(1, 8));
  simulate_app->add_option("--store", options->store, "What the worlds keep their rows in")
      ->check(CLI::IsMember({"memory", "sqlite"}))
      ->capture_default_str();
  simulate_app->add_flag("--json", options->json, "Print JSON");
  simulate_app->add_flag("--trace", options->trace, "Print every step to standard error");
  simulate_app->callback([options, &exit_code] { exit_code = simulate(*options); });
}

}  // namespace finality::app
