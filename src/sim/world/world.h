// One simulated world: engines, a channel, merchants, clients, operators and an auditor, all driven by one
// seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "sim/auditors/coverage.h"
#include "sim/auditors/findings.h"
#include "sim/mutation/mutant.h"
#include "sim/world/faults.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

struct Bug;

enum class StoreKind : std::uint8_t { memory, sqlite, postgres };
BOOST_DESCRIBE_ENUM(StoreKind, memory, sqlite, postgres)

/// What a world can do without.
enum class Part : std::uint8_t { accounts, settings, operators };
BOOST_DESCRIBE_ENUM(Part, accounts, settings, operators)

struct WorldOptions {
  std::uint64_t seed = 1;
  int payments = 200;          // orders that are begun
  std::optional<int> engines;  // empty: one, two or three, as the seed wants it
  StoreKind store = StoreKind::memory;
  std::string place;  // of its store: a directory, or the URL of a PostgreSQL server
  TraceWish trace = TraceWish::hashed;
  FaultMask without = 0;         // these faults never happen
  std::set<Part> left_out = {};  // these parts are not there
  std::optional<Mutant> mutant;  // a table with one cell changed
  const Bug* bug = nullptr;      // planted
  bool stop_at_first = false;    // end the world with its first finding
};

struct WorldResult {
  std::int64_t payments = 0;  // that were made
  FaultCounts faults{};
  Coverage coverage;
  std::vector<Finding> findings;
  std::uint64_t trace_hash = 0;  // the same seed and options give the same
  std::vector<TraceLine> trace;  // of the first finding, when the trace is kept
};

/// Runs the world to its end. Uses nothing but its options: no clock, no randomness.
WorldResult run_world(const WorldOptions& options);

}  // namespace finality::sim
