// Bugs in decisions: rows are changed after the decision and before the commit. The auditors check the changed rows.
#pragma once

#include "sim/bugs/bug.h"

namespace finality::sim {

std::span<const Bug> decision_bugs();

}  // namespace finality::sim
