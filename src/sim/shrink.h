// Shrinks a world that violates an invariant to the smallest world found that still violates it.
#pragma once

#include "sim/world/world.h"

namespace finality::sim {

struct Shrunk {
  WorldOptions world;  // stops at its first finding
  WorldResult result;  // with the trace of that finding
};

/// Tries fewer payments, other seeds once there are very few payments, one engine, fewer fault types, no operators, no
/// accounts. REQUIRES: the world violates `invariant`. Takes one or two seconds.
Shrunk shrink(const WorldOptions& failing, const std::string& invariant);

}  // namespace finality::sim
