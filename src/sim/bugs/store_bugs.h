// Bugs of the store: it writes altered rows, or fewer rows than were committed.
#pragma once

#include "sim/bugs/bug.h"

namespace finality::sim {

std::span<const Bug> store_bugs();

}  // namespace finality::sim
