// Mutants that cannot be detected, each with the reason why it is harmless.
#pragma once

#include <string_view>

#include "sim/mutation/mutant.h"

namespace finality::sim {

/// Returns why the mutant is equivalent to the original table; empty if no reason is known.
std::string_view why_harmless(const Mutant& mutant);

}  // namespace finality::sim
