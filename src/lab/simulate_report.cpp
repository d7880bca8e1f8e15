#include "lab/simulate_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "sim/bugs/bug.h"
#include "sim/mutation/unreached.h"
#include "sim/shrink.h"

namespace finality::lab {
namespace {

namespace json = boost::json;

constexpr std::size_t kTraceLinesMax = 200;
constexpr std::size_t kNamesMax = 6;

double per_second(std::int64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

std::vector<std::string_view> names_of(sim::FaultMask mask) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kCount<sim::Fault>; ++i)
    if ((mask & sim::bit_of(static_cast<sim::Fault>(i))) != 0) names.push_back(kNames<sim::Fault>[i]);
  return names;
}

// Lists the enabled faults. If there are more than kNamesMax, lists the disabled faults or, if these are too many too,
// counts the enabled faults.
std::string faults_text(sim::FaultMask mask) {
  const std::vector<std::string_view> enabled = names_of(mask);
  const std::vector<std::string_view> disabled = names_of(~mask);
  if (disabled.empty()) return "all";
  if (enabled.size() <= kNamesMax) return fmt::format("{}", fmt::join(enabled, " "));
  if (disabled.size() <= kNamesMax) return fmt::format("all but {}", fmt::join(disabled, " "));
  return fmt::format("{} kinds", enabled.size());
}

}  // namespace

std::string replay_of(const sim::WorldOptions& world, const std::string& store) {
  std::string command = fmt::format("finality simulate --seeds {0}..{0} --payments {1}", world.seed, world.payments);
  if (world.engines) command += fmt::format(" --engines {}", *world.engines);
  if (store != "memory") command += " --store '" + store + "'";
  if (world.bug != nullptr) command += fmt::format(" --plant \"{}\"", world.bug->name);
  std::vector<std::string_view> without = names_of(world.without);
  for (const sim::Part part : world.left_out) without.push_back(name_of(part));
  if (!without.empty()) command += fmt::format(" --without {}", fmt::join(without, ","));
  return command;
}

void print_json(const sim::SimulationReport& report, const sim::WorldOptions& world, const std::string& store,
                double seconds) {
  json::object faults;
  for (std::size_t i = 0; i < report.faults.size(); ++i) faults[kNames<sim::Fault>[i]] = report.faults[i];
  json::array missing;
  for (const std::string& cell : report.coverage.missing()) missing.emplace_back(cell);
  json::array violations;
  for (const auto& [seed, place, finding] : report.findings) {
    sim::WorldOptions one = world;
    one.seed = seed;
    violations.push_back(json::object{{"seed", seed},
                                      {"invariant", finding.invariant},
                                      {"detail", finding.detail},
                                      {"replay", replay_of(one, store)}});
  }
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

void print_text(const sim::SimulationReport& report, double seconds) {
  fmt::print("{} seeds, {} payments, {:.0f} a second, trace {:016x}\n", report.seeds, report.payments,
             per_second(report.payments, seconds), report.trace_hash);
  for (std::size_t i = 0; i < report.faults.size(); ++i)
    fmt::print("{:<24}{:>12}\n", kNames<sim::Fault>[i], report.faults[i]);
  fmt::print("cells reached: {} of {}\n", report.coverage.reached(), report.coverage.reachable());
  for (const std::string& cell : report.coverage.missing()) fmt::print("not reached: {}\n", cell);
}

void print_cells(const sim::Coverage& coverage) {
  fmt::print("{:<42}{:<26}{:>10}{:>8}  {}\n", "cell", "content", "reached", "worlds",
             "faults within a minute before; always after");
  sim::each_cell([&](sim::CellId id) {
    const sim::Coverage::Cell& cell = coverage.at(id);
    const std::string_view why = sim::unreachable_reason(id);
    fmt::print("{:<42}{:<26}{:>10}{:>8}  ", to_text(id), cell_text(sim::cell_of(id)), cell.times, cell.worlds);
    if (cell.times == 0)
      fmt::print("{}\n",
                 why.empty() ? fmt::format("not reached: {}", sim::rare_reason(id)) : fmt::format("never: {}", why));
    else
      fmt::print("{}{}\n", faults_text(cell.lately),
                 cell.needed == 0 ? "" : fmt::format("; always after {}", fmt::join(names_of(cell.needed), " ")));
  });
}

void print_finding(const sim::SeedFinding& found, sim::WorldOptions world, const std::string& store, bool shrink) {
  world.seed = found.seed;
  fmt::print("VIOLATION {}: {}\n  replay: {}\n", found.finding.invariant, found.finding.detail,
             replay_of(world, store));
  if (!shrink) return;
  const sim::Shrunk shrunk = sim::shrink(world, found.finding.invariant);
  fmt::print("  shrunk: {}\n  {}\n", replay_of(shrunk.world, store), shrunk.result.findings.front().detail);
  const auto& lines = shrunk.result.trace;
  const std::size_t first = lines.size() > kTraceLinesMax ? lines.size() - kTraceLinesMax : 0;
  if (first > 0) fmt::print("    … {} earlier lines omitted\n", first);
  for (std::size_t i = first; i < lines.size(); ++i) fmt::print("    {}\n", sim::to_text(lines[i]));
}

}  // namespace finality::lab
