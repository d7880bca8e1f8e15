// One simulated world: engines, a channel, merchants, clients, operators and an auditor, driven by one seed.
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

/// Optional parts of a world.
enum class Part : std::uint8_t { accounts, settings, operators };
BOOST_DESCRIBE_ENUM(Part, accounts, settings, operators)

struct WorldOptions {
  std::uint64_t seed = 1;
  int payments = 200;          // number of orders
  std::optional<int> engines;  // empty: one to three, determined by the seed
  StoreKind store = StoreKind::memory;
  std::string place;  // location of the store: a directory, or the URL of a PostgreSQL server
  TraceWish trace = TraceWish::hashed;
  FaultMask without = 0;         // these faults never happen
  std::set<Part> left_out = {};  // these parts are omitted
  std::optional<Mutant> mutant;  // a table with one changed cell
  const Bug* bug = nullptr;      // the planted bug
  bool stop_at_first = false;    // end the world with its first finding
};

struct WorldResult {
  std::int64_t payments = 0;  // created payments
  FaultCounts faults{};
  Coverage coverage;
  std::vector<Finding> findings;
  std::uint64_t trace_hash = 0;  // equal for equal seeds and options
  std::vector<TraceLine> trace;  // slice for the first finding, if the trace is kept
};

/// Runs the world to its end. Depends only on the options: uses neither the clock nor other randomness.
WorldResult run_world(const WorldOptions& options);

}  // namespace finality::sim
