// Mutation testing of the simulator: verifies that it detects a table with one changed cell.
#pragma once

#include <string>
#include <vector>

#include "sim/simulation.h"

namespace finality::sim {

/// Worlds with unchanged tables, with which the worlds of mutants are compared.
class Baseline {
 public:
  struct World {
    std::uint64_t seed = 0;
    std::uint64_t trace_hash = 0;
    Coverage coverage;
  };

  /// Runs the seeds from 1. REQUIRES: no invariant is violated.
  Baseline(std::uint64_t seeds, int payments, int threads);

  const std::vector<World>& worlds() const { return worlds_; }  // in the order of the seeds
  WorldOptions options(std::uint64_t seed) const { return {.seed = seed, .payments = payments_}; }

 private:
  int payments_;
  std::vector<World> worlds_;
};

enum class Fate : std::uint8_t {
  killed,    // an invariant was violated
  unasked,   // no world looked up the cell
  the_same,  // worlds looked up the cell, and no step differed
  survived,  // worlds differed, and no invariant was violated
};
BOOST_DESCRIBE_ENUM(Fate, killed, unasked, the_same, survived)

struct Verdict {
  Fate fate = Fate::unasked;
  std::uint64_t seed = 0;  // the world that violated an invariant, or the first that differed
  std::string how;         // text of the finding
};

/// Runs the mutant in the worlds that look up its cell, until one violates an invariant. A failed FINALITY_CHECK aborts
/// the program, so run it in a separate process.
Verdict try_mutant(const Mutant& mutant, const Baseline& baseline);

}  // namespace finality::sim
