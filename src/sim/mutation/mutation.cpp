#include "sim/mutation/mutation.h"

#include <algorithm>

#include "base/check.h"

namespace finality::sim {

Baseline::Baseline(std::uint64_t seeds, int payments, int threads) : payments_(payments) {
  SimulationOptions options{.first_seed = 1, .last_seed = seeds, .threads = threads};
  options.world.payments = payments;
  options.ended = [this](std::uint64_t seed, const WorldResult& result) {
    worlds_.push_back({seed, result.trace_hash, result.coverage});
  };
  const SimulationReport report = simulate(options);
  FINALITY_CHECK(report.findings.empty(), "an invariant is violated without a mutation");
  std::ranges::sort(worlds_, {}, &World::seed);
}

Verdict try_mutant(const Mutant& mutant, const Baseline& baseline) {
  Verdict verdict;
  for (const Baseline::World& world : baseline.worlds()) {
    if (world.coverage.at(mutant.cell).times == 0) continue;
    WorldOptions options = baseline.options(world.seed);
    options.mutant = mutant;
    options.stop_at_first = true;
    const WorldResult result = run_world(options);
    if (!result.findings.empty()) {
      const Finding& first = result.findings.front();
      return {Fate::killed, world.seed, first.invariant + ": " + first.detail};
    }
    if (verdict.fate == Fate::unasked) verdict.fate = Fate::the_same;
    if (verdict.fate == Fate::the_same && result.trace_hash != world.trace_hash)
      verdict = {Fate::survived, world.seed, {}};
  }
  return verdict;
}

}  // namespace finality::sim
