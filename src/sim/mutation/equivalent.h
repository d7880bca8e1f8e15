// Mutants that nobody can find, each with the argument why it does no harm.
#pragma once

#include <string_view>

#include "sim/mutation/mutant.h"

namespace finality::sim {

/// Why the mutant is as good as the table; empty when nothing says so.
std::string_view why_harmless(const Mutant& mutant);

}  // namespace finality::sim
