// All state machines, with their types erased.
#pragma once

#include <vector>

#include "fsm/view.h"

namespace finality {

/// Every machine of Finality, in the order of the row types.
const std::vector<fsm::View>& all_machines();

}  // namespace finality
