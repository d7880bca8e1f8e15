// Command `finality simulate --mutate`: mutation test of the simulator. A mutant is a transition table with one changed
// cell. The simulator must detect every mutant.
#pragma once

#include <optional>
#include <string>

namespace finality::lab {

/// Runs every mutant of `machine`, or of all machines if it is empty. Returns the exit code: 1 if a mutant survives
/// without a documented reason, or if a mutant that is documented as harmless is detected. Each mutant runs in a
/// separate process, one process per core at a time. REQUIRES: no other thread runs.
int mutate(const std::optional<std::string>& machine);

}  // namespace finality::lab
