// One simulated world: engines, a channel, merchants, clients, a desk and an auditor, all driven by one seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/coverage.h"
#include "sim/faults.h"
#include "sim/findings.h"

namespace finality::sim {

struct Bug;

enum class StoreKind : std::uint8_t { memory, sqlite };
BOOST_DESCRIBE_ENUM(StoreKind, memory, sqlite)

struct WorldOptions {
  std::uint64_t seed = 1;
  int payments = 200;          // orders that are begun
  std::optional<int> engines;  // empty: one, two or three, as the seed wants it
  StoreKind store = StoreKind::memory;
  std::string directory;       // where a store on disk may be made
  bool trace = false;          // print every step to standard error
  const Bug* bug = nullptr;    // planted
  bool stop_at_first = false;  // end the world with its first finding
};

struct WorldResult {
  std::int64_t payments = 0;  // that were made
  FaultCounts faults{};
  Coverage coverage;
  std::vector<Finding> findings;
  std::uint64_t trace_hash = 0;  // the same seed and options give the same
};

/// Runs the world to its end. Uses nothing but its options: no clock, no randomness.
WorldResult run_world(const WorldOptions& options);

}  // namespace finality::sim
