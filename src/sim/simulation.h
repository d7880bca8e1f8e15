// Runs many simulations, one per seed, on several threads, and combines their results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/world/world.h"

namespace finality::sim {

struct SimulationOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t last_seed = 1;
  int threads = 2;
  WorldOptions world;  // options of all runs, except `seed`
  /// Called after each run, by one thread at a time, with the number of completed runs and their payments. May be
  /// empty.
  std::function<void(std::uint64_t seeds, std::int64_t payments)> progress;
  /// Called after each run, by one thread at a time, with its seed and result. May be empty.
  std::function<void(std::uint64_t seed, const WorldResult& result)> ended;
};

struct SeedFinding {
  std::uint64_t seed = 0;
  std::size_t place = 0;  // index among the findings of its seed
  Finding finding;
};

struct SimulationReport {
  std::uint64_t seeds = 0;
  std::int64_t payments = 0;
  FaultCounts faults{};
  Coverage coverage;
  std::vector<SeedFinding> findings;  // sorted by seed
  std::uint64_t trace_hash = 0;       // over all traces, sorted by seed
};

/// Runs all seeds. The report does not depend on the number of threads.
SimulationReport simulate(const SimulationOptions& options);

/// Runs one simulation with a new store in `world.place`, and deletes the store afterwards.
WorldResult run_placed(WorldOptions world);

/// Returns the seed that this thread is simulating, for crash reports; 0 outside a simulation.
std::uint64_t seed_under_way();

}  // namespace finality::sim
