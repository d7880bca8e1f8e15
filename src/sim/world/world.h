// One simulation run ("world"): engines, channels, merchants, clients, operators and an auditor, determined by one
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

/// Parts of a simulation run that can be omitted. `funds`: statements of funds and of banks, in the runs that have
/// them.
enum class Part : std::uint8_t { accounts, settings, operators, statements, authorizations, funds };
BOOST_DESCRIBE_ENUM(Part, accounts, settings, operators, statements, authorizations, funds)

struct WorldOptions {
  std::uint64_t seed = 1;
  int payments = 200;          // number of orders to create
  std::optional<int> engines;  // number of engines; empty: one to three, determined by the seed
  StoreKind store = StoreKind::memory;
  std::string place;  // location of the store: a directory, or the URL of a PostgreSQL server
  TraceWish trace = TraceWish::hashed;
  FaultMask without = 0;         // fault types that never happen
  std::set<Part> left_out = {};  // omitted parts
  int funds_per_mille = 0;       // share of the seeds whose worlds have statements of funds and of banks
  std::optional<Mutant> mutant;  // changed cell of the transition tables
  const Bug* bug = nullptr;      // injected bug; null: none
  bool stop_at_first = false;    // ends the run with its first finding
};

struct WorldResult {
  std::int64_t payments = 0;  // number of created payments and authorizations
  FaultCounts faults{};
  Coverage coverage;
  std::vector<Finding> findings;
  std::uint64_t trace_hash = 0;  // equal for equal options
  std::vector<TraceLine> trace;  // lines related to the first finding, if the trace is kept
};

/// Runs one simulation to its end. The result depends only on the options, not on the system clock or other random
/// sources.
WorldResult run_world(const WorldOptions& options);

}  // namespace finality::sim
