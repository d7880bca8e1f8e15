// Command `finality simulate`: runs deterministic fault-injection simulations and checks invariants.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "lab/commands.h"
#include "lab/mutate.h"
#include "lab/simulate_report.h"
#include "model/machines.h"
#include "sim/bugs/bug.h"

namespace finality::lab {

using namespace app;
namespace {

constexpr std::int64_t kMostCellsFrom = 200'000;  // payments of a run; see unreached()
constexpr std::int64_t kEveryCellFrom = 2'000'000;
constexpr const char* kAllMachines = "all";

struct Options {
  std::string seeds = "1..100";
  int payments = 200;
  int engines = 0;
  std::string store = "memory";
  std::vector<std::string> without;
  std::string plant;
  std::optional<std::string> mutate;
  bool plants = false;
  bool cells = false;
  bool json = false;
  bool trace = false;
};

// The values of --mutate: "all" and the name of every machine.
std::vector<std::string> machine_names() {
  std::vector<std::string> names{kAllMachines};
  for (const fsm::View& machine : all_machines()) names.emplace_back(machine.name);
  return names;
}

// Signals of a crash, for example of a failed FINALITY_CHECK. The handler prints the seed that replays the
// crash.
constexpr int kStopping[] = {SIGABRT, SIGSEGV};
struct sigaction handled_before[std::size(kStopping)];

void print_seed(int signal) {
  std::array<char, 128> text;  // on the stack, because the heap can be corrupted
  const auto end = fmt::format_to_n(
      text.data(), text.size(), "finality: stopped in seed {0}; replay with --seeds {0}..{0}\n", sim::seed_under_way());
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), std::min(end.size, text.size()));
  ::sigaction(signal, &handled_before[std::ranges::find(kStopping, signal) - std::begin(kStopping)], nullptr);
}

void print_seed_when_stopped() {
  struct sigaction action{};
  action.sa_handler = print_seed;
  action.sa_flags = SA_ONSTACK;  // uses the alternate signal stack that sanitizers set
  for (std::size_t i = 0; i < std::size(kStopping); ++i) ::sigaction(kStopping[i], &action, &handled_before[i]);
}

// Parses one seed ("7") or a range ("1..1000").
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
  if (!first || !last || *last < *first)
    return fail("'" + text + "' is not a range of seeds: use A..B, as in 1..1000, or one seed");
  return std::pair(*first, *last);
}

// Excludes the faults and parts named by --without from the simulated world.
Result<void> leave_out(const std::vector<std::string>& names, sim::WorldOptions& world) {
  for (const std::string& name : names) {
    const auto fault = parse_enum<sim::Fault>(name);
    const auto part = parse_enum<sim::Part>(name);
    if (fault) world.without |= sim::bit_of(*fault);
    if (part) world.left_out.insert(*part);
    if (!fault && !part)
      return fail(fmt::format("invalid --without '{}': use a fault ({}) or a part of a world ({})", name,
                              fmt::join(kNames<sim::Fault>, ", "), fmt::join(kNames<sim::Part>, ", ")));
  }
  return {};
}

Result<void> plant(const std::string& name, sim::WorldOptions& world) {
  if (name.empty()) return {};
  const auto at = std::ranges::find(sim::all_bugs(), name, &sim::Bug::name);
  if (at == sim::all_bugs().end()) return fail("unknown bug '" + name + "': --plants lists the bugs");
  world.bug = &*at;
  return {};
}

Result<sim::StoreKind> kind_of(const std::string& store) {
  if (store.starts_with("postgres://") || store.starts_with("postgresql://")) return sim::StoreKind::postgres;
  if (store == "memory") return sim::StoreKind::memory;
  if (store == "sqlite") return sim::StoreKind::sqlite;
  return fail("--store must be memory, sqlite, or postgres://… with a role that can create databases");
}

// Cells of the transition tables that the run must reach but did not reach. A run of at least kMostCellsFrom payments
// must reach every reachable cell except rare cells; from kEveryCellFrom payments, also the rare cells.
std::vector<std::string> unreached(const sim::SimulationOptions& simulation, const sim::Coverage& coverage) {
  const sim::WorldOptions& world = simulation.world;
  const auto begun = static_cast<std::int64_t>(simulation.last_seed - simulation.first_seed + 1) * world.payments;
  const bool whole = world.bug == nullptr && world.without == 0 && world.left_out.empty() && !world.engines &&
                     world.store == sim::StoreKind::memory;
  if (!whole || begun < kMostCellsFrom) return {};
  return begun < kEveryCellFrom ? coverage.missing_often() : coverage.missing();
}

int judge(const Options& options, const sim::SimulationOptions& simulation, const sim::SimulationReport& found) {
  const std::vector<std::string> missing = unreached(simulation, found.coverage);
  const std::vector<std::string> disproved = found.coverage.disproved();
  for (const std::string& cell : disproved)
    fmt::print(stderr, "{} was reached, but src/sim/mutation/unreached.cpp lists it as unreachable.\n", cell);
  for (const std::string& cell : missing)
    fmt::print(stderr, "{} was not reached, but src/sim/mutation/unreached.cpp has no reason for it.\n", cell);
  if (!options.json) {
    bool first = true;
    for (const sim::SeedFinding& one : found.findings)
      print_finding(one, simulation.world, options.store, std::exchange(first, false) && !options.trace);
    if (found.findings.empty()) fmt::print("Every invariant held.\n");
  }
  return found.findings.empty() && disproved.empty() && missing.empty() ? 0 : 1;
}

int simulate(const Options& options) {
  const auto seeds = parse_seeds(options.seeds);
  if (!seeds) return report(seeds.error());
  const auto kind = kind_of(options.store);
  if (!kind) return report(kind.error());
  if (*kind == sim::StoreKind::sqlite && options.engines > 1)
    return report(Error{"SQLite allows only one engine: use --engines 1, or another --store"});
  sim::SimulationOptions simulation{.first_seed = seeds->first, .last_seed = seeds->second};
  simulation.threads = options.trace ? 1 : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  simulation.world.payments = options.payments;
  simulation.world.store = *kind;
  simulation.world.trace = options.trace ? sim::TraceWish::printed : sim::TraceWish::hashed;
  if (options.engines > 0 || *kind == sim::StoreKind::sqlite) simulation.world.engines = std::max(1, options.engines);
  if (const auto done = leave_out(options.without, simulation.world); !done) return report(done.error());
  if (const auto done = plant(options.plant, simulation.world); !done) return report(done.error());
  const std::uint64_t all = seeds->second - seeds->first + 1;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (terminal && !options.trace)
    simulation.progress = [all](std::uint64_t done, std::int64_t payments) {
      fmt::print(stderr, "\r{} of {} seeds, {} payments{}", done, all, payments, done == all ? "\n" : "");
    };
  const auto directory = std::filesystem::temp_directory_path() / fmt::format("finality-simulate-{}", ::getpid());
  simulation.world.place = *kind == sim::StoreKind::postgres ? options.store : directory.string();

  const auto begin = std::chrono::steady_clock::now();
  const sim::SimulationReport found = sim::simulate(simulation);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (options.json)
    print_json(found, simulation.world, options.store, seconds.count());
  else
    print_text(found, seconds.count());
  if (options.cells) print_cells(found.coverage);
  const int exit_code = judge(options, simulation, found);
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return exit_code;
}

int list_bugs() {
  for (const sim::Bug& bug : sim::all_bugs()) fmt::print("{}\n", bug.name);
  return 0;
}

int run(const Options& options) {
  if (options.plants) return list_bugs();
  print_seed_when_stopped();
  if (options.mutate) return mutate(*options.mutate == kAllMachines ? std::nullopt : options.mutate);
  return simulate(options);
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* simulate_app =
      add_command(app, "simulate", "Run deterministic fault-injection simulations; exit 1 if an invariant is broken");
  simulate_app
      ->add_option("--seeds", options->seeds,
                   "Range of seeds A..B, or one seed; each seed determines one simulated world")
      ->capture_default_str();
  simulate_app->add_option("--payments", options->payments, "Orders per world")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  simulate_app
      ->add_option("--engines", options->engines, "Engines per store; default: one to three, determined by the seed")
      ->check(CLI::Range(1, 8));
  simulate_app
      ->add_option("--store", options->store,
                   "Store of the worlds: memory, sqlite, or postgres://…; on PostgreSQL each world creates a database")
      ->capture_default_str();
  simulate_app->add_option("--without", options->without, "Faults and parts of the world to exclude")->delimiter(',');
  simulate_app->add_option("--plant", options->plant, "Plant the bug with this name, to test that it is detected");
  simulate_app->add_flag("--plants", options->plants, "List the bugs that can be planted");
  simulate_app
      ->add_option("--mutate", options->mutate,
                   "Change each cell of the machine, or of all machines, and test that 200 seeds detect each change")
      ->expected(0, 1)
      ->default_str(kAllMachines)
      ->check(CLI::IsMember(machine_names()));
  simulate_app->add_flag("--cells", options->cells,
                         "Print how often, and after which faults, every cell of every machine was reached");
  simulate_app->add_flag("--json", options->json, "Print JSON");
  simulate_app->add_flag("--trace", options->trace, "Print every step to standard error");
  simulate_app->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace finality::lab
