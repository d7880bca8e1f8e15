// finality simulate --mutate: whether the simulator notices each cell of each table when it is changed.
#pragma once

#include <optional>
#include <string>

namespace finality::app {

/// Tries every mutant of the machine, or of all; answers with the exit code: 1 when one survives that nothing argues
/// for, or one is found that is argued to be harmless. Each runs in a process of its own, as many at once as there are
/// cores. REQUIRES: no other thread runs.
int mutate(const std::optional<std::string>& machine);

}  // namespace finality::app
