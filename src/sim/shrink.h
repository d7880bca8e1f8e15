// A world that breaks an invariant, made as small as it can be while it still breaks it.
#pragma once

#include "sim/world/world.h"

namespace finality::sim {

struct Shrunk {
  WorldOptions world;  // stops at its first finding
  WorldResult result;  // with the trace of that finding
};

/// Tries fewer payments, other seeds where there are very few, one engine, no faults of a kind, no operators, no
/// accounts. REQUIRES: the world breaks `invariant`. Takes a second or two.
Shrunk shrink(const WorldOptions& failing, const std::string& invariant);

}  // namespace finality::sim
