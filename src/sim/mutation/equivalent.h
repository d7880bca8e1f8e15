// Equivalent mutants: changes of a transition table that no test can detect, each with the reason.
#pragma once

#include <string_view>

#include "sim/mutation/mutant.h"

namespace finality::sim {

/// Returns why the mutant is equivalent to the original table; empty if no reason is known.
std::string_view why_harmless(const Mutant& mutant);

}  // namespace finality::sim
