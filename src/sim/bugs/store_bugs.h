// Bugs of the store: something else is written than was decided, or less.
#pragma once

#include "sim/bugs/bug.h"

namespace finality::sim {

std::span<const Bug> store_bugs();

}  // namespace finality::sim
