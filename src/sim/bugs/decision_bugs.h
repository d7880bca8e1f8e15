// Bugs in decisions: the auditor sees the changed rows as they are committed.
#pragma once

#include "sim/bugs/bug.h"

namespace finality::sim {

std::span<const Bug> decision_bugs();

}  // namespace finality::sim
