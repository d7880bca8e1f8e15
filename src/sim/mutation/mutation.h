// The test of the test: whether anybody notices a table with one cell changed.
#pragma once

#include <string>
#include <vector>

#include "sim/simulation.h"

namespace finality::sim {

/// Worlds in which every table is right: what a mutant is compared with.
class Baseline {
 public:
  struct World {
    std::uint64_t seed = 0;
    std::uint64_t trace_hash = 0;
    Coverage coverage;
  };

  /// Runs the seeds from 1. REQUIRES: every invariant holds in them.
  Baseline(std::uint64_t seeds, int payments, int threads);

  const std::vector<World>& worlds() const { return worlds_; }  // by seed
  WorldOptions options(std::uint64_t seed) const { return {.seed = seed, .payments = payments_}; }

 private:
  int payments_;
  std::vector<World> worlds_;
};

enum class Fate : std::uint8_t {
  killed,    // an invariant was broken
  unasked,   // no world asked for the cell
  the_same,  // worlds asked for it, and not a step of them went otherwise
  survived,  // worlds went otherwise, and nobody minded
};
BOOST_DESCRIBE_ENUM(Fate, killed, unasked, the_same, survived)

struct Verdict {
  Fate fate = Fate::unasked;
  std::uint64_t seed = 0;  // where it was found, or where a world first went otherwise
  std::string how;         // what was found
};

/// Runs the mutant in the worlds that ask for its cell, until one of them minds. A broken FINALITY_CHECK stops the
/// program: run it in a process of its own.
Verdict try_mutant(const Mutant& mutant, const Baseline& baseline);

}  // namespace finality::sim
