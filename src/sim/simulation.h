// Runs many worlds, one per seed, on several threads, and combines their results.
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
  WorldOptions world;  // options of every world; each seed replaces `seed`
  /// Called after each world, serialized, with the number of completed worlds.
  std::function<void(std::uint64_t seeds, std::int64_t payments)> progress;
  /// Called after each world, serialized, with its seed and its result. May be empty.
  std::function<void(std::uint64_t seed, const WorldResult& result)> ended;
};

struct SeedFinding {
  std::uint64_t seed = 0;
  std::size_t place = 0;  // position among the findings of its seed
  Finding finding;
};

struct SimulationReport {
  std::uint64_t seeds = 0;
  std::int64_t payments = 0;
  FaultCounts faults{};
  Coverage coverage;
  std::vector<SeedFinding> findings;  // in the order of the seeds
  std::uint64_t trace_hash = 0;       // over all traces, in the order of the seeds
};

/// Runs the worlds. The report does not depend on the number of threads.
SimulationReport simulate(const SimulationOptions& options);

/// Runs one world with its own store, created in `world.place` and deleted afterwards.
WorldResult run_placed(WorldOptions world);

/// The seed that this thread is simulating; 0 if none. Lets a crash report name the seed.
std::uint64_t seed_under_way();

}  // namespace finality::sim
