// Bugs of the store: it writes other rows, or fewer rows, than the engine has committed.
#pragma once

#include "sim/bugs/bug.h"

namespace finality::sim {

std::span<const Bug> store_bugs();

}  // namespace finality::sim
