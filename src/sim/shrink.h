// Shrinks a simulation run that violates an invariant: searches a smaller run with the same violation.
#pragma once

#include "sim/world/world.h"

namespace finality::sim {

struct Shrunk {
  WorldOptions world;  // options of the smallest run found; the run stops at its first finding
  WorldResult result;  // result of that run, with the trace of its finding
};

/// Tries fewer payments (and other seeds for up to 5 payments), one engine, and runs without accounts, settings,
/// operators and each fault type. REQUIRES: the run violates `invariant`. Takes one or two seconds.
Shrunk shrink(const WorldOptions& failing, const std::string& invariant);

}  // namespace finality::sim
