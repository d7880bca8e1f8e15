// Many worlds, one per seed, on a few threads; what they found together.
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
  WorldOptions world;  // but its seed
  /// Called after each world, one at a time, with how many are done.
  std::function<void(std::uint64_t seeds, std::int64_t payments)> progress;
  /// As `progress`, with the world's result. May be empty.
  std::function<void(std::uint64_t seed, const WorldResult& result)> ended;
};

struct SeedFinding {
  std::uint64_t seed = 0;
  std::size_t place = 0;  // among its seed's
  Finding finding;
};

struct SimulationReport {
  std::uint64_t seeds = 0;
  std::int64_t payments = 0;
  FaultCounts faults{};
  Coverage coverage;
  std::vector<SeedFinding> findings;  // by seed
  std::uint64_t trace_hash = 0;       // of all traces, in the order of the seeds
};

/// The report is the same however many threads there are.
SimulationReport simulate(const SimulationOptions& options);

/// Runs one world with a store of its own, made in `world.place` and gone with it.
WorldResult run_placed(WorldOptions world);

/// The seed that this thread is simulating; 0 when none. For whoever has to say what broke the program.
std::uint64_t seed_under_way();

}  // namespace finality::sim
