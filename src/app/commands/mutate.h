// Command `finality simulate --mutate`: tests whether the simulator detects a change of any cell of any
// transition table.
#pragma once

#include <optional>
#include <string>

namespace finality::app {

/// Runs every mutant of the machine, or of all machines. Returns the exit code: 1 if a mutant survives without a
/// documented reason, or if a mutant that is documented as harmless is detected. Each mutant runs in a separate
/// process, one process per core at a time. REQUIRES: no other thread runs.
int mutate(const std::optional<std::string>& machine);

}  // namespace finality::app
