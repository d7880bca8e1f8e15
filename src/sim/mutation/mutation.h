// Mutation testing of the auditors: verifies that they detect a transition table with one changed cell.
#pragma once

#include <string>
#include <vector>

#include "sim/simulation.h"

namespace finality::sim {

/// Simulation runs with unchanged tables, with which the runs of mutants are compared.
class Baseline {
 public:
  struct World {
    std::uint64_t seed = 0;
    std::uint64_t trace_hash = 0;
    Coverage coverage;
  };

  /// Runs the seeds from 1 to `seeds` on `threads` threads, with `payments` orders each. REQUIRES: no run violates an
  /// invariant.
  Baseline(std::uint64_t seeds, int payments, int threads);

  const std::vector<World>& worlds() const { return worlds_; }  // sorted by seed
  WorldOptions options(std::uint64_t seed) const { return {.seed = seed, .payments = payments_}; }

 private:
  int payments_;
  std::vector<World> worlds_;
};

enum class Fate : std::uint8_t {
  killed,    // detected: a run violated an invariant
  unasked,   // no run looked up the changed cell
  the_same,  // runs looked up the cell, but none differed from the baseline
  survived,  // not detected: runs differed, but violated no invariant
};
BOOST_DESCRIBE_ENUM(Fate, killed, unasked, the_same, survived)

struct Verdict {
  Fate fate = Fate::unasked;
  std::uint64_t seed = 0;  // run that violated an invariant, or first run that differed
  std::string how;         // invariant and text of the finding
};

/// Repeats the baseline runs that look up the changed cell, with the mutant, until a run violates an invariant. A
/// mutant can fail a FINALITY_CHECK, which aborts the process, so call this function in a separate process.
Verdict try_mutant(const Mutant& mutant, const Baseline& baseline);

}  // namespace finality::sim
